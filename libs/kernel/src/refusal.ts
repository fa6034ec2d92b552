import type { JsonObject } from './json.js';

/**
 * Every code of the contract's error catalogue with its HTTP status; the spec of `libs/platform/src/http/contract`
 * compares the two.
 */
export const refusalStatus = {
  bad_request: 400,
  invalid_argument: 400,
  invalid_cursor: 400,
  invalid_answer: 400,
  unknown_permission: 400,
  session_agent_ref_conflict: 400,
  session_key_scope_required: 400,
  unsupported_routine_kind: 400,
  unauthorized: 401,
  permission_denied: 403,
  forbidden: 403,
  system_role_immutable: 403,
  not_interaction_target: 403,
  not_interaction_reviewer: 403,
  plan_limit_exceeded: 403,
  method_not_allowed: 405,
  request_timeout: 408,
  not_found: 404,
  blueprint_reference_not_found: 404,
  conflict: 409,
  already_exists: 409,
  session_turn_active: 409,
  session_key_conflict: 409,
  session_not_active: 409,
  agent_inactive: 409,
  idempotency_conflict: 409,
  nudge_queue_full: 409,
  nudge_already_delivered: 409,
  compaction_disabled: 409,
  compaction_in_progress: 409,
  interaction_not_open: 409,
  interaction_open: 409,
  interaction_not_in_review: 409,
  already_responded: 409,
  blueprint_conflict: 409,
  blueprint_resource_protected: 409,
  immutable_field: 409,
  external_identity_conflict: 409,
  version_conflict: 409,
  principal_has_no_roles: 409,
  principal_in_use: 409,
  last_owner: 409,
  action_not_ready: 409,
  visibility_change_unconfirmed: 409,
  artifact_conflict: 409,
  upgrade_pending: 409,
  memory_cursor_expired: 410,
  cursor_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limit_exceeded: 429,
  headers_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
  memory_semantic_search_unavailable: 503,
  artifact_storage_unavailable: 503,
} as const;

export type RefusalCode = keyof typeof refusalStatus;

/**
 * The service says no: a code of the catalogue, a sentence for people, and details for programs. Nothing was written.
 */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    readonly details: JsonObject = {},
    message: string = code.replaceAll('_', ' '),
  ) {
    super(message);
    this.name = 'Refusal';
  }

  get status(): number {
    return refusalStatus[this.code];
  }
}

/** 404 exactly as for an id that never existed. */
export function notFound(what = 'resource'): Refusal {
  return new Refusal('not_found', {}, `no such ${what}`);
}

/** One well-formed argument is not allowed (rules G16, G26). */
export function invalidArgument(argument: string, reason: string, details: JsonObject = {}): Refusal {
  return new Refusal('invalid_argument', { argument, ...details }, `${argument}: ${reason}`);
}

export interface Issue {
  /** JSON pointer into the body, or `query.<name>`. */
  path: string;
  message: string;
}

/** Malformed body or query (rule G15). */
export function badRequest(issues: Issue[]): Refusal {
  const first = issues[0];
  return new Refusal(
    'bad_request',
    { issues: issues.map(({ path, message }) => ({ path, message })) },
    first ? `${first.path || '/'}: ${first.message}` : 'bad request',
  );
}
