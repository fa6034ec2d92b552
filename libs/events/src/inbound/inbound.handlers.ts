import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, Schema } from '@aos/contract';
import {
  Clock,
  Refusal,
  badRequest,
  invalidArgument,
  jsonBytes,
  requireWholeCharacters,
  rfc3339,
  uuidFrom,
} from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { headersByName, type MailHeaders } from '../email/mail-headers.js';
import { isReserved } from '../publishing/families.js';
import { InboundMail } from '../mail/inbound-mail.js';
import { providerEventDecider } from '../provider-event.decider.js';
import { providerEventStreamId } from '../provider-event/provider-event.state.js';
import { providerOf } from '../provider-event/provider-event.publisher.js';
import { ReceiveEmail, ReceiveProviderEvent } from './inbound.commands.js';

/** Rule E17 and the contract, `InboundEvent`. */
const eventBytesMax = 256 * 1024;
const typeCharactersMax = 200; // as many as a web hook can name

/**
 * Takes an event of a provider once per integration and id.
 *
 * Refuses  invalid_argument {argument: event_type} for a reserved prefix or over 200 characters, and {argument: id or
 *          integration_id, reason: half_character} for one that is no Unicode text (ADR 62); payload_too_large
 *          {limit_bytes} over 256 KiB; bad_request for a time that is none.
 */
@CommandHandler(ReceiveProviderEvent)
export class ReceiveProviderEventHandler implements ICommandHandler<ReceiveProviderEvent> {
  constructor(private readonly decisions: Decisions) {}

  async execute({ who, input: body }: ReceiveProviderEvent): Promise<Reply<'receiveProviderEvent'>> {
    const { id, event_type, integration_id, event } = body;
    if (isReserved(providerOf(event_type)))
      throw invalidArgument('event_type', 'its prefix is reserved', { reason: 'reserved_prefix' });
    if (event_type.length > typeCharactersMax)
      throw invalidArgument('event_type', `at most ${typeCharactersMax} characters`, { reason: 'too_long' });
    requireWholeCharacters('id', id);
    requireWholeCharacters('integration_id', integration_id);
    if (jsonBytes(event) > eventBytesMax)
      throw new Refusal('payload_too_large', { limit_bytes: eventBytesMax }, 'the event is too large');
    const received = { id, event_type, integration_id, occurred_at: timeOf(body.occurred_at, '/occurred_at'), event };
    const eventId = uuidFrom('inbound', who.orgId, integration_id, id);
    const { events } = await this.decisions.decide(
      providerEventDecider.receiveProviderEvent,
      providerEventStreamId(who.orgId, integration_id, id),
      actorOf(who),
      received,
      { eventId: () => eventId },
    );
    return { event_id: `evt_${eventId}`, deduped: events.length === 0 };
  }
}

/**
 * Takes a mail for the agents of the caller's organization.
 *
 * Refuses  not_found when none of its addresses is an agent's; invalid_argument {argument: message_id, reason:
 *          half_character} for a mail that is named by no Unicode text (ADR 62), and {argument: attachments, reason:
 *          negative_size}.
 */
@CommandHandler(ReceiveEmail)
export class ReceiveEmailHandler implements ICommandHandler<ReceiveEmail> {
  constructor(
    private readonly mail: InboundMail,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: body }: ReceiveEmail): Promise<Reply<'receiveEmail'>> {
    if (body.message_id !== undefined) requireWholeCharacters('message_id', body.message_id);
    if (body.attachments?.some(({ size_bytes: bytes }) => bytes < 0))
      throw invalidArgument('attachments', 'one has a negative size', { reason: 'negative_size' });
    const receivedAt = timeOf(body.received_at, '/received_at') ?? rfc3339(this.clock.now());
    const attachments = (body.attachments ?? []).map(({ name, mime_type, size_bytes }) => ({
      name,
      mime_type,
      size_bytes,
    })); // a relay hands over no bytes
    const { references, headers, ...parts } = body;
    return this.mail.receive(
      actorOf(who),
      {
        ...parts,
        attachments,
        headers: headersOf(headers),
        ...(references !== undefined && { references: [references].flat().join(' ') }),
      },
      [...body.to, ...(body.cc ?? [])],
      receivedAt,
      'relay',
    );
  }
}

function headersOf(headers: Schema<'InboundEmail'>['headers'] = {}): MailHeaders {
  return headersByName(
    Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const)),
  );
}

function timeOf(text: string | undefined, path: string): string | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw badRequest([{ path, message: 'must be a time' }]);
  return rfc3339(at);
}
