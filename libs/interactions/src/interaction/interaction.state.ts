import { unreachable, type StreamKind } from '@aos/kernel';
import {
  interactionEvents,
  type InteractionEvent,
  type InteractionStatus,
  type Opening,
  type ResolvedBy,
  type Response,
} from './interaction.events.js';

export interface LifecycleEntry {
  readonly at: string;
  readonly status: InteractionStatus;
  readonly action:
    'created' | 'submitted_for_review' | 'accepted' | 'changes_requested' | 'resolved' | 'cancelled' | 'expired';
  readonly actor_id: string | null;
  readonly comment: string | null;
  readonly round: number | null;
}

export interface Callback {
  readonly delivery_id: string;
  readonly status: 'pending' | 'delivered' | 'abandoned';
  readonly attempts: number;
  /** Attempts that were made before the operator sent it again. */
  readonly attemptsBefore: number;
  readonly last_attempt_at: string | null;
  readonly next_attempt_at: string | null;
  readonly last_status_code: number | null;
  readonly last_error: string | null;
}

export interface KnownResponse extends Response {
  readonly revision: number;
}

/** How it ended: frozen with the first terminal event. */
export interface Resolution {
  readonly resolved_by: ResolvedBy;
  readonly at: string;
  readonly resolving_response_id: string | null;
  readonly responder_id: string | null;
  readonly response_ids: readonly string[];
  readonly cancel_reason: string | null;
}

export interface InteractionState {
  readonly opening: Opening | null;
  readonly status: InteractionStatus;
  readonly hidden: boolean;
  /** From 1. */
  readonly round: number;
  readonly responses: readonly KnownResponse[];
  readonly responsesBytes: number;
  readonly submittedAt: string | null;
  /** The response that met the policy of the round under review. */
  readonly submittedResponseId: string | null;
  readonly reviewerId: string | null;
  readonly reviewFeedback: string | null;
  readonly resolution: Resolution | null;
  readonly cancelDeliveryId: string | null;
  readonly callback: Callback | null;
  readonly lifecycle: readonly LifecycleEntry[];
  readonly updatedAt: string;
}

const initial: InteractionState = {
  opening: null,
  status: 'pending',
  hidden: false,
  round: 1,
  responses: [],
  responsesBytes: 0,
  submittedAt: null,
  submittedResponseId: null,
  reviewerId: null,
  reviewFeedback: null,
  resolution: null,
  cancelDeliveryId: null,
  callback: null,
  lifecycle: [],
  updatedAt: '',
};

export function evolve(state: InteractionState, event: InteractionEvent, revision: number): InteractionState {
  switch (event.type) {
    case 'InteractionOpened': {
      const { data } = event;
      const opened = { ...initial, opening: data, updatedAt: data.created_at };
      return noted(opened, 'created', data.created_at, data.created_by);
    }
    case 'ResponseSubmitted': {
      const { bytes, ...response } = event.data;
      return {
        ...state,
        responses: [...state.responses, { ...response, revision }],
        responsesBytes: state.responsesBytes + bytes,
        updatedAt: response.at,
      };
    }
    case 'SubmittedForReview':
    case 'ReviewAccepted':
    case 'ChangesRequested':
      return reviewed(state, event);
    case 'InteractionCompleted':
    case 'InteractionCancelled':
    case 'InteractionExpired':
      return ended(state, event);
    case 'InteractionHidden':
      return { ...state, hidden: true, updatedAt: event.data.at };
    case 'CallbackSecretResealed':
      return { ...state, opening: state.opening && resealed(state.opening, event.data.sealed_secret) };
    case 'CallbackQueued':
    case 'CallbackAttemptStarted':
    case 'CallbackDelivered':
    case 'CallbackFailed':
    case 'CallbackAbandoned':
    case 'CallbackRedriven':
      return { ...state, callback: withCallback(state.callback, event) };
    default:
      return unreachable(event);
  }
}

type EventOfType<T extends InteractionEvent['type']> = Extract<InteractionEvent, { type: T }>;
type ReviewEvent = EventOfType<'SubmittedForReview' | 'ReviewAccepted' | 'ChangesRequested'>;
type EndEvent = EventOfType<'InteractionCompleted' | 'InteractionCancelled' | 'InteractionExpired'>;

function reviewed(state: InteractionState, { type, data }: ReviewEvent): InteractionState {
  const { at, round } = data;
  if (type === 'SubmittedForReview') {
    const { resolving_response_id: submittedResponseId } = data;
    return noted(
      { ...state, status: 'in_review', submittedAt: at, submittedResponseId, updatedAt: at },
      'submitted_for_review',
      at,
      state.responses.at(-1)?.responder_id ?? null,
      null,
      round,
    );
  }
  const { reviewer_id: reviewerId, comment } = data;
  const judged = { ...state, reviewerId, reviewFeedback: comment, updatedAt: at };
  return type === 'ReviewAccepted'
    ? noted({ ...judged, status: 'completed' }, 'accepted', at, reviewerId, comment, round)
    : noted(
        { ...judged, status: 'pending', round: round + 1, submittedResponseId: null },
        'changes_requested',
        at,
        reviewerId,
        comment,
        round,
      );
}

function ended(state: InteractionState, { type, data }: EndEvent): InteractionState {
  const { at } = data;
  switch (type) {
    case 'InteractionCompleted': {
      const { resolving_response_id, responder_id, response_ids, resolved_by } = data;
      return noted(
        resolved(
          { ...state, status: 'completed' },
          { resolved_by, at, resolving_response_id, responder_id, response_ids, cancel_reason: null },
        ),
        'resolved',
        at,
        state.reviewerId !== null && resolved_by === 'review' ? state.reviewerId : responder_id,
      );
    }
    case 'InteractionCancelled': {
      const { by, reason, delivery_id: cancelDeliveryId } = data;
      const cancelled = resolved({ ...state, status: 'cancelled' }, unanswered('cancel', at, reason));
      return noted({ ...cancelled, cancelDeliveryId }, 'cancelled', at, by, reason);
    }
    case 'InteractionExpired':
      return noted(resolved({ ...state, status: 'expired' }, unanswered('expiry', at, null)), 'expired', at, null);
    default:
      return unreachable(type);
  }
}

type CallbackEvent = Exclude<
  Extract<InteractionEvent, { type: `Callback${string}` }>,
  { type: 'CallbackSecretResealed' }
>;

function withCallback(callback: Callback | null, event: CallbackEvent): Callback {
  if (event.type === 'CallbackQueued') {
    const { delivery_id, at } = event.data;
    return {
      delivery_id,
      status: 'pending',
      attempts: 0,
      attemptsBefore: 0,
      last_attempt_at: null,
      next_attempt_at: at,
      last_status_code: null,
      last_error: null,
    };
  }
  if (!callback) throw new Error(`${event.type} without a callback`);
  switch (event.type) {
    case 'CallbackAttemptStarted':
      return {
        ...callback,
        attempts: event.data.attempt,
        last_attempt_at: event.data.at,
        next_attempt_at: event.data.due_again_at,
      };
    case 'CallbackDelivered':
      return {
        ...callback,
        status: 'delivered',
        next_attempt_at: null,
        last_status_code: event.data.status_code,
        last_error: null,
      };
    case 'CallbackFailed': {
      const { next_attempt_at, status_code, error } = event.data;
      return { ...callback, next_attempt_at, last_status_code: status_code, last_error: error };
    }
    case 'CallbackAbandoned': {
      const { status_code, error } = event.data;
      return {
        ...callback,
        status: 'abandoned',
        next_attempt_at: null,
        last_status_code: status_code,
        last_error: error,
      };
    }
    case 'CallbackRedriven':
      return { ...callback, status: 'pending', attemptsBefore: callback.attempts, next_attempt_at: event.data.at };
    default:
      return unreachable(event);
  }
}

function resealed(opening: Opening, sealed_secret: string): Opening {
  const { consumer } = opening;
  if (consumer.kind !== 'http_subscriber') throw new Error(`${opening.id} has no secret`);
  return { ...opening, consumer: { ...consumer, http_subscriber: { ...consumer.http_subscriber, sealed_secret } } };
}

function resolved(state: InteractionState, resolution: Resolution): InteractionState {
  if (state.resolution) throw new Error(`${state.opening?.id ?? 'interaction'} ended twice`);
  return { ...state, resolution, updatedAt: resolution.at };
}

function unanswered(resolvedBy: ResolvedBy, at: string, reason: string | null): Resolution {
  return {
    resolved_by: resolvedBy,
    at,
    resolving_response_id: null,
    responder_id: null,
    response_ids: [],
    cancel_reason: reason,
  };
}

function noted(
  state: InteractionState,
  action: LifecycleEntry['action'],
  at: string,
  actorId: string | null,
  comment: string | null = null,
  round: number | null = null,
): InteractionState {
  return {
    ...state,
    lifecycle: [...state.lifecycle, { at, status: state.status, action, actor_id: actorId, comment, round }],
  };
}

export const interactionKind: StreamKind<InteractionState, InteractionEvent> = {
  category: 'interaction',
  events: interactionEvents,
  initial: () => initial,
  evolve,
  stateVersion: 1,
  notifies: false,
};

export function isOpen(status: InteractionStatus): boolean {
  return status === 'pending' || status === 'in_review';
}

/** Responses of the current round; of a closed interaction those of its last. */
export function responsesOfRound(state: InteractionState): readonly KnownResponse[] {
  return state.responses.filter(({ round }) => round === state.round);
}
