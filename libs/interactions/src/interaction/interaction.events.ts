import { defineEvents, event, type EventOf, type JsonObject, type PrincipalKind } from '@aos/kernel';

export type InteractionKind = 'request_information' | 'request_approval' | 'request_review' | 'assign_work';
export type InteractionStatus = 'pending' | 'in_review' | 'completed' | 'expired' | 'cancelled';
export type QuestionMode = 'confirm' | 'select' | 'multi_select' | 'input';
export type ResolvedBy = 'any_of' | 'all_of' | 'quorum' | 'review' | 'cancel' | 'expiry';

export type QuestionOption = { value: string; label: string; description?: string };

/** A question as stored and sent. */
export type Question = {
  id: string;
  prompt: string;
  required: boolean;
  mode: QuestionMode;
  default_confirmed?: boolean;
  options?: QuestionOption[];
  min_selections?: number;
  max_selections?: number;
  allow_other?: boolean;
  default_value?: string;
  default_values?: string[];
  default_text?: string;
  placeholder?: string;
  multiline?: boolean;
};

export type Answer = { question_id: string; value?: string; values?: string[]; other?: string; text?: string };

export type ResolutionPolicy = {
  type: 'any_of' | 'all_of' | 'quorum';
  threshold?: number;
  review?: { reviewer_user_ids?: string[] } | null;
};

/** The turn that asked, and for whom it ran: a turn that the outcome starts belongs to the same principal. */
export type AskingTurn = { invocation_id: string; tool_call_id: string; session_id: string };

export type Subscriber = {
  callback_url: string;
  /** Sealed, bound to the interaction; never leaves. */
  sealed_secret: string;
  secret_version: number;
};

export type Consumer =
  | { kind: 'none' }
  | { kind: 'agent_tool'; agent_tool: AskingTurn; principal: { id: string; kind: PrincipalKind } }
  | { kind: 'http_subscriber'; http_subscriber: Subscriber };

/** The thing that an interaction is about. */
export type Reference = {
  kind: 'external_url' | 'svc_entity';
  url?: string;
  entity_type?: string;
  entity_id?: string;
  relation?: string;
  label?: string;
};

/** Channels that notify the targets. */
export type DeliveryPlan = { channels: { kind: 'inbox_only' | 'email'; email?: { to: string[] } | null }[] };

/** The fields that are fixed when the interaction opens. */
export type Opening = {
  id: string;
  org_id: string;
  kind: InteractionKind;
  title: string;
  description: string | null;
  target_user_ids: string[];
  /** Who may review: those named, else the creator; empty without a review step. */
  reviewer_user_ids: string[];
  resolution_policy: ResolutionPolicy;
  questions: Question[];
  consumer: Consumer;
  owner: { kind: 'person' | 'team'; id: string | null };
  visibility: 'private' | 'organization';
  agent_id: string | null;
  delivery: DeliveryPlan | null;
  subject: Reference | null;
  references: Reference[];
  context: JsonObject | null;
  tags: Record<string, string>;
  properties: JsonObject | null;
  expires_at: string | null;
  created_by: string;
  created_at: string;
  /** Of the command that opened it, when one principal's tool call did. */
  delivery_id: string | null;
};

export type Response = {
  id: string;
  responder_id: string;
  answers: Answer[];
  comment: string | null;
  /** Review round, from 1. */
  round: number;
  at: string;
  delivery_id: string | null;
};

/**
 * All events of an interaction; one stream `interaction-<id>`.
 *
 * Values that can be large (questions, references, answers) are members of their own, so that they can be stored as
 * blobs apart from the fields that identify the record.
 */
export const interactionEvents = defineEvents({
  InteractionOpened: event<Opening>(1),
  ResponseSubmitted: event<Response & { bytes: number }>(1),
  SubmittedForReview: event<{ round: number; resolving_response_id: string; at: string }>(1),
  ReviewAccepted: event<{ reviewer_id: string; comment: string | null; round: number; at: string }>(1),
  ChangesRequested: event<{ reviewer_id: string; comment: string; round: number; at: string }>(1),
  InteractionCompleted: event<{
    resolving_response_id: string;
    responder_id: string;
    resolved_by: ResolvedBy;
    response_ids: string[];
    response_revisions: number[];
    at: string;
  }>(1),
  InteractionCancelled: event<{ by: string; reason: string | null; delivery_id: string | null; at: string }>(1),
  InteractionExpired: event<{ at: string }>(1),
  InteractionHidden: event<{ by: string; at: string }>(1),
  CallbackQueued: event<{ delivery_id: string; at: string }>(1),
  CallbackAttemptStarted: event<{ attempt: number; at: string; due_again_at: string }>(1),
  CallbackDelivered: event<{ attempt: number; status_code: number; at: string }>(1),
  CallbackFailed: event<{
    attempt: number;
    status_code: number | null;
    error: string;
    at: string;
    next_attempt_at: string;
  }>(1),
  CallbackAbandoned: event<{ attempt: number; status_code: number | null; error: string; at: string }>(1),
  /** The same signing secret under another master key. */
  CallbackSecretResealed: event<{ sealed_secret: string; at: string }>(1),
  CallbackRedriven: event<{ by: string; at: string }>(1),
});

export type InteractionEvent = EventOf<typeof interactionEvents>;
