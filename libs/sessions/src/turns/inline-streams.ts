import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '@aos/kernel';

export interface InlineStream {
  who: Identity;
  sessionId: string;
  turnId: string;
  /** The request started the turn; false for one that was matched by its key. */
  isNew: boolean;
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Answers a turn start with the session's v1 stream (rules T26, T27). The streams context provides it to the code that
 * starts turns.
 */
export abstract class InlineStreams {
  /** Resolves when the stream is open or was refused; a refusal before the first byte is thrown. */
  abstract open(stream: InlineStream): Promise<void>;
}
