import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '@aos/kernel';
import type { ReservedSlot } from '@aos/platform';

export interface InlineStream {
  who: Identity;
  sessionId: string;
  turnId: string;
  /** The request started the turn; false for one that was matched by its key. */
  isNew: boolean;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Reserved before the turn was started. */
  slot: ReservedSlot;
}

/**
 * Answers a turn start with the session's v1 stream (rules T26, T27). The streams context provides it to the code that
 * starts turns.
 */
export abstract class InlineStreams {
  /** A slot for the stream, before anything is started: refuses rate_limit_exceeded beyond the caps (rule L16). */
  abstract reserve(request: FastifyRequest): ReservedSlot;

  /** Resolves when the stream is open or was refused; a refusal before the first byte is thrown. */
  abstract open(stream: InlineStream): Promise<void>;
}
