import type { Schema } from '@aos/contract';
import type { EventFamily, OpenedEvent, PublicEvent, Publisher, Reach } from '@aos/kernel';
import { interactionEvents, type InteractionEvent, type Opening, type Response } from './interaction.events.js';
import { peopleOf, sessionOf } from './interaction.wire.js';

type Of<T extends InteractionEvent['type']> = Extract<InteractionEvent, { type: T }>['data'];

/** How an interaction ended, as it is published. */
type Ended = {
  status: 'completed' | 'cancelled' | 'expired';
  resolvedBy: string;
  at: string;
  responderId: string | null;
  resolvingResponseId: string | null;
  cancelReason: string | null;
  responses: Response[];
};

const family: EventFamily = {
  prefix: 'interaction',
  displayName: 'Interactions',
  description: 'Questions and tasks for people.',
  types: [
    {
      name: 'interaction.created',
      description: 'An interaction was opened.',
      sourceKind: 'interaction',
      schema: 'InteractionCreatedEvent',
      routing: ['interaction_id', 'kind', 'target_user_ids'],
    },
    {
      name: 'interaction.resolved',
      description: 'An interaction was completed, cancelled or has expired: see its status.',
      sourceKind: 'interaction',
      schema: 'InteractionResolvedEvent',
      routing: ['interaction_id', 'kind', 'status', 'consumer_kind', 'responder_id', 'resolving_response_id'],
    },
  ],
};

/**
 * Interactions tell of their opening and of their one end (rules E10, E11, EV1). Callbacks stay inside.
 *
 * An end needs the opening and the responses that counted; neither ever changes.
 */
export const interactionPublisher: Publisher = {
  prefix: 'interaction-',
  events: interactionEvents,
  publishes: new Set(['InteractionOpened', 'InteractionCompleted', 'InteractionCancelled', 'InteractionExpired']),
  family,
  needs({ stream, type, data }) {
    if (type === 'InteractionOpened') return [];
    const responses = type === 'InteractionCompleted' ? (data as Of<'InteractionCompleted'>).response_revisions : [];
    return [0, ...responses].map((revision) => ({ stream, revision }));
  },
  publish(event, [first, ...others]) {
    if (event.type === 'InteractionOpened') return [created(event.data as Of<'InteractionOpened'>)];
    if (first?.type !== 'InteractionOpened') throw new Error(`${event.stream} does not begin with its opening`);
    return [resolved(first.data as Of<'InteractionOpened'>, ended(event, others.map(responseOf)))];
  },
};

function created(opening: Opening): PublicEvent {
  const {
    id,
    kind,
    title,
    description,
    target_user_ids,
    consumer,
    resolution_policy,
    agent_id,
    created_by,
    expires_at,
    created_at,
  } = opening;
  const event: Schema<'InteractionCreatedEvent'> = {
    interaction_id: id,
    kind,
    status: 'pending',
    title,
    description,
    target_user_ids,
    consumer_kind: consumer.kind,
    resolution_policy,
    session_id: sessionOf(opening),
    agent_id,
    created_by,
    expires_at,
    created_at,
  };
  return {
    event_type: 'interaction.created',
    source_kind: 'interaction',
    source_id: id,
    event,
    routing: { interaction_id: id, kind, target_user_ids },
    occurred_at: created_at,
    reach: reachOf(opening),
  };
}

function resolved(opening: Opening, end: Ended): PublicEvent {
  const { id, kind, title, target_user_ids, consumer, created_at } = opening;
  const { status, resolvedBy, at, responderId, resolvingResponseId, cancelReason, responses } = end;
  const resolving = responses.find((response) => response.id === resolvingResponseId);
  const outcome =
    status !== 'completed'
      ? null
      : {
          answers: resolving?.answers ?? [],
          ...(resolving?.comment == null ? {} : { comment: resolving.comment }),
          responses: responses.map((response) => ({
            response_id: response.id,
            responder_id: response.responder_id,
            answers: response.answers,
            ...(response.comment === null ? {} : { comment: response.comment }),
          })),
        };
  const event: Schema<'InteractionResolvedEvent'> = {
    interaction_id: id,
    kind,
    status,
    title,
    consumer_kind: consumer.kind,
    target_user_ids,
    responder_id: responderId,
    resolving_response_id: resolvingResponseId,
    outcome,
    comment: resolving?.comment ?? null,
    resolved_by: resolvedBy,
    cancel_reason: cancelReason,
    session_id: sessionOf(opening),
    created_at,
    resolved_at: at,
  };
  return {
    event_type: 'interaction.resolved',
    source_kind: 'interaction',
    source_id: id,
    event,
    routing: {
      interaction_id: id,
      kind,
      status,
      consumer_kind: consumer.kind,
      responder_id: responderId,
      resolving_response_id: resolvingResponseId,
    },
    occurred_at: at,
    reach: reachOf(opening),
  };
}

function ended({ type, data }: OpenedEvent, responses: Response[]): Ended {
  const none = { responderId: null, resolvingResponseId: null, cancelReason: null, responses: [] };
  switch (type) {
    case 'InteractionCompleted': {
      const { resolved_by, responder_id, resolving_response_id, at } = data as Of<'InteractionCompleted'>;
      return {
        status: 'completed',
        resolvedBy: resolved_by,
        at,
        responderId: responder_id,
        resolvingResponseId: resolving_response_id,
        cancelReason: null,
        responses,
      };
    }
    case 'InteractionCancelled': {
      const { reason, at } = data as Of<'InteractionCancelled'>;
      return { ...none, status: 'cancelled', resolvedBy: 'cancel', at, cancelReason: reason };
    }
    case 'InteractionExpired':
      return { ...none, status: 'expired', resolvedBy: 'expiry', at: (data as Of<'InteractionExpired'>).at };
    default:
      throw new Error(`${type} is no end`);
  }
}

function responseOf({ type, data, stream, revision }: OpenedEvent): Response {
  if (type !== 'ResponseSubmitted') throw new Error(`${stream}@${revision} is no response`);
  return data as Of<'ResponseSubmitted'>;
}

/**
 * Rules I29, E7: the principals named in it, with any visibility; with an asking session, readers of the session and of
 * its agent.
 */
function reachOf(opening: Opening): Reach {
  const { visibility, owner, agent_id } = opening;
  const session = sessionOf(opening);
  return {
    visibility,
    owner_id: owner.id,
    principal_ids: peopleOf(opening),
    agent_id,
    ...(session === null ? {} : { asking_session_id: session }),
  };
}
