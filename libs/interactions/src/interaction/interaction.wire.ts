import type { Schema } from '@aos/contract';
import type { Json } from '@aos/kernel';
import type { Opening, Question, Answer } from './interaction.events.js';
import type { InteractionState, KnownResponse } from './interaction.state.js';

/** Who reads; null for a copy that belongs to no reader, such as the asking session's. */
export type Reader = { principalId: string };

/** Takes a state with large values put back. */
export function interactionWire(
  state: InteractionState,
  reader: Reader | null,
  madeSecret: string | null = null,
): Schema<'Interaction'> {
  const opening = present(state);
  const { resolution, callback } = state;
  const hasReview = Boolean(opening.resolution_policy.review);
  return {
    id: opening.id,
    created_by: opening.created_by,
    owner: { ...opening.owner },
    visibility: opening.visibility,
    container: opening.agent_id === null ? null : { kind: 'agent', id: opening.agent_id },
    posture: postureFor(opening, reader),
    kind: opening.kind,
    status: state.status,
    title: opening.title,
    description: opening.description,
    subject: opening.subject,
    references: opening.references,
    context: opening.context,
    tags: opening.tags,
    properties: opening.properties,
    spec: specWire(opening.questions),
    target_user_ids: opening.target_user_ids,
    responder: resolution?.responder_id ? { user_id: resolution.responder_id } : null,
    resolving_response_id: resolution?.resolving_response_id ?? null,
    responses: state.responses.map((response) => responseWire(opening, response)),
    expires_at: opening.expires_at,
    completed_at: state.status === 'completed' ? (resolution?.at ?? null) : null,
    created_at: opening.created_at,
    updated_at: state.updatedAt,
    require_all: opening.resolution_policy.type === 'all_of',
    resolution_policy: opening.resolution_policy,
    consumer: consumerWire(opening, callback, madeSecret),
    delivery: opening.delivery,
    outcome: outcomeWire(state),
    resolved_by: resolution?.resolved_by ?? null,
    cancel_reason: resolution?.cancel_reason ?? null,
    review_round: hasReview ? state.round : null,
    submitted_at: state.submittedAt,
    review_feedback: state.reviewFeedback,
    reviewer: state.reviewerId === null ? null : { user_id: state.reviewerId },
    session_id: sessionOf(opening),
    lifecycle: state.lifecycle.map((entry) => ({ ...entry })),
  };
}

/** Frozen once completed, null otherwise (rule I21). */
export function outcomeWire({ status, resolution, responses }: InteractionState): Schema<'InteractionOutcome'> | null {
  if (status !== 'completed' || !resolution) return null;
  const counted = responses.filter(({ id }) => resolution.response_ids.includes(id));
  const resolving = counted.find(({ id }) => id === resolution.resolving_response_id);
  return {
    answers: resolving?.answers ?? [],
    ...(resolving?.comment == null ? {} : { comment: resolving.comment }),
    responses: counted.map(({ id, responder_id, answers, comment }) => ({
      response_id: id,
      responder_id,
      answers,
      ...(comment === null ? {} : { comment }),
    })),
  };
}

/** The session whose turn asked, or null. */
export function sessionOf({ consumer }: Opening): string | null {
  return consumer.kind === 'agent_tool' ? consumer.agent_tool.session_id : null;
}

/** Those it concerns by name (rule I29). */
export function peopleOf({
  created_by: creator,
  target_user_ids: targets,
  reviewer_user_ids: reviewers,
}: Opening): string[] {
  return [...new Set([creator, ...targets, ...reviewers])];
}

function responseWire(
  { id: interactionId, questions }: Opening,
  response: KnownResponse,
): Schema<'InteractionResponse'> {
  const { id, responder_id, answers, comment, at, round } = response;
  return {
    id,
    interaction_id: interactionId,
    response_kind: 'response',
    state: 'submitted',
    responder_user_id: responder_id,
    answers,
    value: bareValue(questions, answers),
    comment,
    responded_at: at,
    attempt: round === 1 ? null : round,
    created_at: at,
    updated_at: at,
  };
}

/** A form of one question also shows the one-question members (rule I9). */
function specWire(questions: Question[]): Schema<'InteractionSpec'> {
  const spec = { questions };
  const [question, ...others] = questions;
  if (!question || others.length > 0) return spec;
  const { mode, options, default_confirmed, default_value, default_values, default_text, placeholder, multiline } =
    question;
  const single = {
    mode,
    options,
    default_confirmed,
    default_value,
    default_values,
    default_text,
    placeholder,
    multiline,
  };
  return { ...spec, ...Object.fromEntries(Object.entries(single).filter(([, value]) => value !== undefined)) };
}

function consumerWire(
  { consumer }: Opening,
  callback: InteractionState['callback'],
  madeSecret: string | null,
): Schema<'Consumer'> {
  if (consumer.kind === 'agent_tool') return { kind: consumer.kind, agent_tool: { ...consumer.agent_tool } };
  if (consumer.kind === 'none') return { kind: consumer.kind };
  return {
    kind: consumer.kind,
    http_subscriber: {
      callback_url: consumer.http_subscriber.callback_url,
      ...(madeSecret === null ? {} : { signing_secret: madeSecret }),
      delivery: callback && {
        delivery_id: callback.delivery_id,
        status: callback.status,
        attempts: callback.attempts,
        last_attempt_at: callback.last_attempt_at,
        next_attempt_at: callback.next_attempt_at,
        last_status_code: callback.last_status_code,
        last_error: callback.last_error,
      },
    },
  };
}

/** Ownership and audience as this reader sees them; a copy without a reader shows the owner's side. */
function postureFor({ owner, visibility }: Opening, reader: Reader | null): Schema<'ResourcePosture'> {
  if (owner.kind === 'team') return 'team';
  if (reader && owner.id !== reader.principalId) return 'someone_else';
  return visibility === 'organization' ? 'shared_by_you' : 'only_you';
}

function present({ opening }: InteractionState): Opening {
  if (!opening) throw new Error('the interaction was never opened');
  return opening;
}

/** Bare content of a one-question answer, else the answer list (rule I22). */
export function bareValue(questions: readonly Question[], answers: Answer[]): Json {
  const [question, ...others] = questions;
  if (!question || others.length > 0) return answers;
  const [answer] = answers;
  if (!answer) return null;
  if (answer.values) return answer.other === undefined ? answer.values : [...answer.values, answer.other];
  return answer.text ?? answer.value ?? answer.other ?? null;
}
