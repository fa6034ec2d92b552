import { Refusal, badRequest, notFound, type PrincipalKind } from '@aos/kernel';
import { answersOf, bytesOf, type AnswerSet } from '../forms/answers.decide.js';
import type { InteractionEvent, Opening, Question, ResolvedBy } from '../interaction/interaction.events.js';
import { responsesBytesMax, roundsMax } from '../interaction/interaction.limits.js';
import {
  isOpen,
  responsesOfRound,
  type InteractionState,
  type KnownResponse,
} from '../interaction/interaction.state.js';
import { type Closing, callbackOwed } from '../callbacks/callbacks.decide.js';

export interface Participant {
  principalId: string;
  kind: PrincipalKind;
  isAdmin: boolean;
}

export interface Respond extends Closing {
  by: Participant;
  responseId: string;
  /** The form with large values put back; it never changes after the opening. */
  questions: readonly Question[];
  set: AnswerSet;
  deliveryId: string | null;
}

/**
 * Takes one target's answer; the one that meets the policy resolves the interaction, or hands it to the reviewers.
 *
 * Gives    the response, then what follows from it; nothing for a delivery that was taken before.
 * Refuses  not_interaction_target; interaction_not_open {status}; already_responded; invalid_answer; payload_too_large.
 * Source   rules IT1, I7, I13, I14, I15, I16, I17, I18, I19, I20, I21; control S38.
 */
export function respond(command: Respond, state: InteractionState, revision: number): InteractionEvent[] {
  const opening = present(state);
  const { by, set, now, deliveryId } = command;
  if (deliveryId !== null && state.responses.some((response) => response.delivery_id === deliveryId)) return [];
  const approvesItself = by.kind === 'agent' && opening.created_by === by.principalId;
  if (!opening.target_user_ids.includes(by.principalId) || approvesItself)
    throw new Refusal('not_interaction_target', {}, 'only a target may answer');
  if (!isOpen(state.status)) throw notOpen(state);
  const round = responsesOfRound(state);
  if (round.some(({ responder_id: id }) => id === by.principalId))
    throw new Refusal('already_responded', {}, 'you have answered this round');
  if (state.status !== 'pending') throw notOpen(state);
  const answers = answersOf(command.questions, set);
  const bytes = bytesOf(answers, set.comment);
  if (state.responsesBytes + bytes > responsesBytesMax) {
    throw new Refusal(
      'payload_too_large',
      { limit_bytes: responsesBytesMax },
      'the responses of this interaction are too large together',
    );
  }
  const response = {
    id: command.responseId,
    responder_id: by.principalId,
    answers,
    comment: set.comment ?? null,
    round: state.round,
    at: now,
    delivery_id: deliveryId,
  };
  const submitted: InteractionEvent = { type: 'ResponseSubmitted', data: { ...response, bytes } };
  const counted = [...round, { ...response, revision: revision + 1 }];
  if (counted.length < needed(opening)) return [submitted];
  if (opening.resolution_policy.review) {
    return [
      submitted,
      { type: 'SubmittedForReview', data: { round: state.round, resolving_response_id: response.id, at: now } },
    ];
  }
  return [submitted, ...completed(opening, counted, response.id, opening.resolution_policy.type, command)];
}

export interface Review extends Closing {
  by: Participant;
  action: 'accept' | 'request_changes';
  comment: string | null;
}

/**
 * Decides on submitted work: accepted it completes, else the targets answer anew in the next round.
 *
 * Refuses  not_interaction_reviewer; interaction_not_in_review {status}; bad_request without a comment to the changes
 *          asked for.
 * Source   rules I7, I8.
 */
export function review(command: Review, state: InteractionState): InteractionEvent[] {
  const opening = present(state);
  const { by, action, comment, now } = command;
  const { round } = state;
  const mayReview = opening.resolution_policy.review
    ? opening.reviewer_user_ids.includes(by.principalId)
    : opening.created_by === by.principalId;
  if (!mayReview) throw new Refusal('not_interaction_reviewer', {}, 'only a reviewer may decide');
  if (state.status !== 'in_review')
    throw new Refusal('interaction_not_in_review', { status: state.status }, `the interaction is ${state.status}`);
  if (action === 'accept') {
    const accepted: InteractionEvent = {
      type: 'ReviewAccepted',
      data: { reviewer_id: by.principalId, comment, round, at: now },
    };
    return [
      accepted,
      ...completed(opening, responsesOfRound(state), state.submittedResponseId ?? '', 'review', command),
    ];
  }
  if (comment === null || comment.trim() === '')
    throw badRequest([{ path: '/comment', message: 'is needed with request_changes' }]);
  if (round >= roundsMax) throw new Refusal('conflict', { limit: roundsMax }, 'no more rounds');
  return [{ type: 'ChangesRequested', data: { reviewer_id: by.principalId, comment, round, at: now } }];
}

export interface Cancel extends Closing {
  by: Participant;
  reason: string | null;
  deliveryId: string | null;
}

/**
 * Cancels or dismisses.
 *
 * Gives    nothing when it is cancelled already.
 * Refuses  forbidden for others than creator, targets, reviewers and administrators; interaction_not_open {status} once
 *          it ended otherwise.
 * Source   rules IT2, I24, I25.
 */
export function cancel(command: Cancel, state: InteractionState): InteractionEvent[] {
  const opening = present(state);
  const { by, reason, now, deliveryId } = command;
  const may =
    by.isAdmin ||
    [opening.created_by, ...opening.target_user_ids, ...opening.reviewer_user_ids].includes(by.principalId);
  if (!may) throw new Refusal('forbidden', {}, 'only those it concerns may cancel it');
  if (state.status === 'cancelled') return [];
  if (!isOpen(state.status)) throw notOpen(state);
  return [
    { type: 'InteractionCancelled', data: { by: by.principalId, reason, delivery_id: deliveryId, at: now } },
    ...callbackOwed(opening, command),
  ];
}

/**
 * Hides a closed interaction from every read.
 *
 * Refuses  forbidden for others than its creator and administrators; interaction_open {status}.
 * Source   rule I30.
 */
export function hide(command: { by: Participant; now: string }, state: InteractionState): InteractionEvent[] {
  const opening = present(state);
  const { by, now } = command;
  if (!by.isAdmin && opening.created_by !== by.principalId)
    throw new Refusal('forbidden', {}, 'only its creator or an administrator may hide it');
  if (isOpen(state.status)) throw new Refusal('interaction_open', { status: state.status }, 'cancel it first');
  return [{ type: 'InteractionHidden', data: { by: by.principalId, at: now } }];
}

function completed(
  opening: Opening,
  counted: readonly KnownResponse[],
  resolvingId: string,
  resolvedBy: ResolvedBy,
  closing: Closing,
): InteractionEvent[] {
  const resolving = counted.find(({ id }) => id === resolvingId);
  if (!resolving) throw new Error(`${opening.id}: no response ${resolvingId} in this round`);
  return [
    {
      type: 'InteractionCompleted',
      data: {
        resolving_response_id: resolving.id,
        responder_id: resolving.responder_id,
        resolved_by: resolvedBy,
        at: closing.now,
        response_ids: counted.map(({ id }) => id),
        response_revisions: counted.map(({ revision }) => revision),
      },
    },
    ...callbackOwed(opening, closing),
  ];
}

/** Distinct responders that the policy asks for (rule I20). */
function needed({ resolution_policy: { type, threshold }, target_user_ids: targets }: Opening): number {
  if (type === 'any_of') return 1;
  return type === 'all_of' ? targets.length : (threshold ?? targets.length);
}

function notOpen({ status }: InteractionState): Refusal {
  return new Refusal('interaction_not_open', { status }, `the interaction is ${status}`);
}

function present({ opening, hidden }: InteractionState): Opening {
  if (!opening || hidden) throw notFound('interaction');
  return opening;
}
