import type { Members, RequestBody, Schema } from '@aos/contract';
import { Refusal, badRequest, invalidArgument, momentOf, type Issue } from '@aos/kernel';
import { questionsOf } from '../forms/form.decide.js';
import type {
  Consumer,
  InteractionEvent,
  Opening,
  Question,
  ResolutionPolicy,
} from '../interaction/interaction.events.js';
import type { InteractionState } from '../interaction/interaction.state.js';

export type AskedConsumer = Schema<'ConsumerInput'>;

/** What a caller asks for. */
export type AskedInteraction = Members<RequestBody<'createInteraction'>>;

export interface PlannedInteraction {
  questions: Question[];
  policy: ResolutionPolicy;
  consumer: AskedConsumer;
  /** Who may review: those named, else the creator; empty without a review step. */
  reviewers: string[];
}

/** Receiver of the outcome as it is stored, and what the interaction takes over from it. */
export interface FoundConsumer {
  consumer: Consumer;
  agentId: string | null;
  visibility: Opening['visibility'];
  /** Shown once. */
  madeSecret: string | null;
}

/**
 * The interaction that a body asks for, judged by every rule that needs only the body and its sender.
 *
 * Refuses  bad_request with issues; invalid_argument for an expiry that lies in the past.
 * Source   rules IT5, IT6, IT7, IT8, IT9, IT10, I1, I5, I6, I7, I8, I9, I10, I11, I12, I26.
 */
export function planInteraction(body: AskedInteraction, creatorId: string, now: number): PlannedInteraction {
  const issues = [...policyIssues(body, creatorId), ...consumerIssues(body.consumer)];
  if (issues.length > 0) throw badRequest(issues);
  const questions = questionsOf(body.kind, body.title, body.spec);
  if (body.expires_at !== undefined && (momentOf(body.expires_at) ?? now) <= now)
    throw invalidArgument('expires_at', 'must lie in the future');
  const policy: ResolutionPolicy = body.resolution_policy ?? { type: body.require_all === true ? 'all_of' : 'any_of' };
  const named = policy.review?.reviewer_user_ids ?? [];
  const reviewers = policy.review ? (named.length > 0 ? named : [creatorId]) : [];
  return { questions, policy, consumer: body.consumer ?? { kind: 'none' }, reviewers };
}

function policyIssues(body: AskedInteraction, creatorId: string): Issue[] {
  const { resolution_policy: policy, require_all: requireAll, target_user_ids: targets } = body;
  const issues: Issue[] = [];
  if (!policy) return issues;
  if (requireAll !== undefined)
    issues.push({ path: '/require_all', message: 'is the old form: not beside resolution_policy' });
  if (policy.type !== 'quorum' && policy.threshold !== undefined)
    issues.push({ path: '/resolution_policy/threshold', message: 'is for quorum' });
  if (policy.type === 'quorum' && (policy.threshold === undefined || policy.threshold > targets.length)) {
    issues.push({ path: '/resolution_policy/threshold', message: `quorum needs 1 to ${targets.length}` });
  }
  if (policy.review && (policy.review.reviewer_user_ids ?? []).length === 0 && targets.includes(creatorId)) {
    issues.push({
      path: '/resolution_policy/review/reviewer_user_ids',
      message: 'name who reviews: the creator is a target',
    });
  }
  return issues;
}

function consumerIssues(consumer: AskedConsumer | undefined): Issue[] {
  if (!consumer) return [];
  return (['agent_tool', 'http_subscriber'] as const).flatMap((member) => {
    const isThere = consumer[member] !== undefined;
    if (consumer.kind === member && !isThere)
      return [{ path: `/consumer/${member}`, message: `is needed with kind ${member}` }];
    if (consumer.kind !== member && isThere)
      return [{ path: `/consumer/${member}`, message: `does not go with kind ${consumer.kind}` }];
    return [];
  });
}

/**
 * Opens an interaction.
 *
 * Gives    nothing when the same delivery opened it before.
 * Source   rules IT26, I36.
 */
export function openInteraction(opening: Opening, state: InteractionState): InteractionEvent[] {
  if (!state.opening) return [{ type: 'InteractionOpened', data: opening }];
  if (
    opening.delivery_id !== null &&
    state.opening.delivery_id === opening.delivery_id &&
    state.opening.org_id === opening.org_id
  )
    return [];
  throw new Refusal('already_exists', {}, 'the interaction is open already');
}
