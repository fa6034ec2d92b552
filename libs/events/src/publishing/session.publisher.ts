import type { EventFamily, JsonObject, OpenedEvent, PublicEvent, Publisher, Reach } from '@aos/kernel';
import { sessionEvents, type Row, type SessionOpening } from '@aos/sessions/published';

const family: EventFamily = {
  prefix: 'session',
  displayName: 'Sessions',
  description: 'Messages of agent sessions.',
  types: [
    {
      name: 'session.message.created',
      description: 'A message was added to a session.',
      sourceKind: 'session',
      schema: 'SessionMessageCreatedEvent',
      routing: ['session_id', 'agent_id', 'message_id', 'role'],
    },
  ],
};

/**
 * Sessions tell of every visible row (rule E13). Hidden rows (context, cut-off answers) and all else stay inside.
 *
 * The first event of the stream, which never changes, says whose session it is.
 */
export const sessionPublisher: Publisher = {
  prefix: 'session-',
  events: sessionEvents,
  publishes: new Set(['MessageAppended', 'TranscriptSummarised']),
  family,
  withoutInlineBytes: true,
  needs: ({ stream }) => [{ stream, revision: 0 }],
  publish({ data }, [opening]) {
    const { row } = data as { row: Row };
    return row.hidden === undefined ? [messageCreated(row, openingOf(opening))] : [];
  },
};

function openingOf(event: OpenedEvent | undefined): SessionOpening {
  if (event?.type !== 'SessionOpened')
    throw new Error(`${event?.stream ?? 'a session'} does not begin with its opening`);
  return (event.data as { session: SessionOpening }).session;
}

function messageCreated(row: Row, session: SessionOpening): PublicEvent {
  const named = { session_id: session.id, agent_id: session.agent_id, message_id: row.id, role: row.role };
  const event: JsonObject = {
    ...named,
    sequence: row.sequence,
    turn_id: row.turn_id,
    entry_type: row.entry_type,
    session_key: session.session_key,
    content: row.content,
    created_at: row.created_at,
  };
  return {
    event_type: 'session.message.created',
    source_kind: 'session',
    source_id: session.id,
    event,
    routing: { ...named },
    occurred_at: row.created_at,
    reach: reachOf(session),
  };
}

function reachOf({ id, agent_id, owner, visibility }: SessionOpening): Reach {
  return { session_id: id, agent_id, visibility, owner_id: owner.id };
}
