import type { Question } from '../interaction/interaction.events.js';
import type { InteractionEvent, Opening, Response } from '../interaction/interaction.events.js';

export const ann = 'user_ann';
export const bob = 'user_bob';
export const cleo = 'user_cleo';
export const creator = 'svc_backend';
export const at = '2026-01-01T00:00:00.000Z';
export const atMs = Date.parse(at);
export const interactionId = 'iact_00000000000000000000000001';
export const orgId = 'org_00000000000000000000000001';

export const oneInput: Question = { id: 'response', prompt: 'Well?', required: true, mode: 'input' };

export function opening(changes: Partial<Opening> = {}): Opening {
  return {
    id: interactionId,
    org_id: orgId,
    kind: 'request_information',
    title: 'Well?',
    description: null,
    target_user_ids: [ann, bob, cleo],
    reviewer_user_ids: [],
    resolution_policy: { type: 'any_of' },
    questions: [oneInput],
    consumer: { kind: 'none' },
    owner: { kind: 'team', id: null },
    visibility: 'private',
    agent_id: null,
    delivery: null,
    subject: null,
    references: [],
    context: null,
    tags: {},
    properties: null,
    expires_at: null,
    created_by: creator,
    created_at: at,
    delivery_id: null,
    ...changes,
  };
}

export function opened(changes: Partial<Opening> = {}): InteractionEvent {
  return { type: 'InteractionOpened', data: opening(changes) };
}

export function submitted(
  by: string,
  { round = 1, text = 'yes' }: { round?: number; text?: string } = {},
): InteractionEvent {
  const response: Response = {
    id: `iresp_${by}_${round}`,
    responder_id: by,
    answers: [{ question_id: 'response', text }],
    comment: null,
    round,
    at,
    delivery_id: null,
  };
  return { type: 'ResponseSubmitted', data: { ...response, bytes: 60 } };
}

export const subscriber = {
  kind: 'http_subscriber' as const,
  http_subscriber: { callback_url: 'https://example.com/x', sealed_secret: 'sealed', secret_version: 1 },
};
