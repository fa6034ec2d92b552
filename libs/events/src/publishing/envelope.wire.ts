import { inMemberOrder, type OpenedEvent, type Position, type PublicEvent, type Reach, jsonSizeMax } from '@aos/kernel';
import { envelopeBytesMax, withinSize, type Envelope } from './size.limits.js';

/** A source event, ready to leave: the same recorded event always gives the same. */
export type SourceEvent = {
  orgId: string;
  /** Its place in the log; of several from one recorded event the later ones follow with `.0001` and so on. */
  position: Position;
  /** Revision of the recorded event in its stream. */
  revision: number;
  stream: string;
  receivedAt: string;
  reach: Reach;
  /** Members in code-unit order, so that its JSON is canonical: what every reader and every replay sees. */
  envelope: Envelope;
};

const indexDigits = 4;

/** The place of the `index`-th source event of one recorded event: compares like the log. */
export function sourcePosition(position: Position, index: number): Position {
  return index === 0 ? position : `${position}.${String(index).padStart(indexDigits, '0')}`;
}

/** Of a place, the position of the recorded event in the log. */
export function recordedPosition(position: Position): Position {
  const dot = position.indexOf('.');
  return dot < 0 ? position : position.slice(0, dot);
}

/**
 * Puts the common envelope around what publishers say.
 *
 * Takes    the recorded event with its position, and its public events in order.
 * Gives    source events in that order: `meta.id` is `evt_` and the recorded event's id, times come from the record,
 *          sizes hold rule L18.
 * Source   rules E2, E3, E4, L18.
 */
export function sourceEvents(
  recorded: OpenedEvent & { position: Position },
  published: readonly PublicEvent[],
): SourceEvent[] {
  const { org_id: orgId, recorded_at: receivedAt } = recorded.meta;
  if (!orgId || !receivedAt) throw new Error(`${recorded.stream}@${recorded.revision} names no organization or time`);
  return published.map((one, index) => {
    const { event_type, source_kind, source_id, event, routing } = one;
    const whole: Envelope = {
      event_type,
      source_kind,
      source_id,
      event,
      meta: {
        ...routing,
        event_type,
        source_kind,
        source_id,
        id: `evt_${one.event_id ?? recorded.id}`,
        occurred_at: one.occurred_at ?? receivedAt,
        received_at: receivedAt,
      },
    };
    const isSmall = jsonSizeMax(whole) <= envelopeBytesMax; // no need to measure it
    return {
      orgId,
      position: sourcePosition(recorded.position, index),
      revision: recorded.revision,
      stream: recorded.stream,
      receivedAt,
      reach: one.reach,
      envelope: inMemberOrder(isSmall ? whole : withinSize(whole)),
    };
  });
}
