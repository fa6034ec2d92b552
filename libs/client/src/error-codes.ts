// Made from contract/openapi.yaml by tools/contract-types.mjs.
import { guardsOf, type Guard } from './api-error.js';

/** Codes of the catalogue. Others may come: they are treated by their status. */
export type ErrorCode =
  | 'bad_request'
  | 'invalid_argument'
  | 'invalid_cursor'
  | 'invalid_answer'
  | 'unknown_permission'
  | 'session_agent_ref_conflict'
  | 'session_key_scope_required'
  | 'unsupported_routine_kind'
  | 'unauthorized'
  | 'permission_denied'
  | 'forbidden'
  | 'system_role_immutable'
  | 'not_interaction_target'
  | 'not_interaction_reviewer'
  | 'plan_limit_exceeded'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'not_found'
  | 'blueprint_reference_not_found'
  | 'conflict'
  | 'already_exists'
  | 'session_turn_active'
  | 'session_key_conflict'
  | 'session_not_active'
  | 'agent_inactive'
  | 'idempotency_conflict'
  | 'nudge_queue_full'
  | 'nudge_already_delivered'
  | 'compaction_disabled'
  | 'compaction_in_progress'
  | 'interaction_not_open'
  | 'interaction_open'
  | 'interaction_not_in_review'
  | 'already_responded'
  | 'blueprint_conflict'
  | 'blueprint_resource_protected'
  | 'immutable_field'
  | 'external_identity_conflict'
  | 'version_conflict'
  | 'principal_has_no_roles'
  | 'principal_in_use'
  | 'last_owner'
  | 'action_not_ready'
  | 'visibility_change_unconfirmed'
  | 'artifact_conflict'
  | 'upgrade_pending'
  | 'memory_cursor_expired'
  | 'cursor_expired'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limit_exceeded'
  | 'headers_too_large'
  | 'internal_error'
  | 'service_unavailable'
  | 'memory_semantic_search_unavailable'
  | 'artifact_storage_unavailable';

/** A guard for each code: `if (is.notFound(error)) ...`. */
export interface Guards {
  /** 400: Malformed body, query or header; `details.issues` lists path and message. */
  badRequest: Guard<'bad_request'>;
  /** 400: One well-formed argument is not allowed; `details.argument` names it. */
  invalidArgument: Guard<'invalid_argument'>;
  /** 400: Cursor or page token was not issued by this endpoint. */
  invalidCursor: Guard<'invalid_cursor'>;
  /** 400: Answer set does not fit the form; `details.issues`. */
  invalidAnswer: Guard<'invalid_answer'>;
  /** 400: Role names a permission that is not in the catalog or not assignable. */
  unknownPermission: Guard<'unknown_permission'>;
  /** 400: Both `agent_id` and `agent_name` given. Status chosen here. */
  sessionAgentRefConflict: Guard<'session_agent_ref_conflict'>;
  /** 400: `session_key` without an agent. Status chosen here. */
  sessionKeyScopeRequired: Guard<'session_key_scope_required'>;
  /** 400: Routine kind is reserved. */
  unsupportedRoutineKind: Guard<'unsupported_routine_kind'>;
  /** 401: Credential missing, unknown, expired or revoked. */
  unauthorized: Guard<'unauthorized'>;
  /** 403: Principal lacks a permission; `details.permission`. */
  permissionDenied: Guard<'permission_denied'>;
  /** 403: Not allowed for another reason. */
  forbidden: Guard<'forbidden'>;
  /** 403: Built-in roles cannot be changed or deleted. */
  systemRoleImmutable: Guard<'system_role_immutable'>;
  /** 403: Caller is not a target of the interaction. */
  notInteractionTarget: Guard<'not_interaction_target'>;
  /** 403: Caller may not review the interaction. */
  notInteractionReviewer: Guard<'not_interaction_reviewer'>;
  /** 403: The billing plan does not allow it. */
  planLimitExceeded: Guard<'plan_limit_exceeded'>;
  /** 405: The path exists but not with this method; header `Allow` lists those that do. */
  methodNotAllowed: Guard<'method_not_allowed'>;
  /** 408: Headers or body did not arrive in time; the connection is closed. */
  requestTimeout: Guard<'request_timeout'>;
  /** 404: No such resource within reach of the caller. */
  notFound: Guard<'not_found'>;
  /** 404: A reference in the blueprint resolves to nothing; `details.reference`. */
  blueprintReferenceNotFound: Guard<'blueprint_reference_not_found'>;
  /** 409: State conflict without a narrower code. */
  conflict: Guard<'conflict'>;
  /** 409: Unique name or identity is taken. */
  alreadyExists: Guard<'already_exists'>;
  /** 409: The session has an open direct turn; `details.turn_id`, `details.status`. */
  sessionTurnActive: Guard<'session_turn_active'>;
  /** 409: `mode: new` with a key another live session holds. */
  sessionKeyConflict: Guard<'session_key_conflict'>;
  /** 409: Session is archived or deleted. */
  sessionNotActive: Guard<'session_not_active'>;
  /** 409: Agent admits no turns. */
  agentInactive: Guard<'agent_inactive'>;
  /** 409: Key reused with different content. */
  idempotencyConflict: Guard<'idempotency_conflict'>;
  /** 409: 32 nudges are pending; `details.limit`. */
  nudgeQueueFull: Guard<'nudge_queue_full'>;
  /** 409: Too late to cancel; `details.nudge`. */
  nudgeAlreadyDelivered: Guard<'nudge_already_delivered'>;
  /** 409: Strategy is `disabled`. */
  compactionDisabled: Guard<'compaction_disabled'>;
  /** 409: A pass already runs. */
  compactionInProgress: Guard<'compaction_in_progress'>;
  /** 409: Interaction is final, or expired; `details.status`. */
  interactionNotOpen: Guard<'interaction_not_open'>;
  /** 409: Only closed interactions can be hidden. */
  interactionOpen: Guard<'interaction_open'>;
  /** 409: Nothing awaits acceptance. */
  interactionNotInReview: Guard<'interaction_not_in_review'>;
  /** 409: Caller already answered this round. */
  alreadyResponded: Guard<'already_responded'>;
  /** 409: Apply cannot proceed; `details` holds `reason`, `resource_type`, `key` and context. Code chosen here. */
  blueprintConflict: Guard<'blueprint_conflict'>;
  /** 409: Definition is protected; `details.namespace`, `details.blueprint_key`. */
  blueprintResourceProtected: Guard<'blueprint_resource_protected'>;
  /** 409: Field cannot change after creation; `details.field`. */
  immutableField: Guard<'immutable_field'>;
  /** 409: `external_ref` belongs to another or deleted resource. */
  externalIdentityConflict: Guard<'external_identity_conflict'>;
  /** 409: Row version differs; `details.current_version`. */
  versionConflict: Guard<'version_conflict'>;
  /** 409: Key for a principal without roles. Status chosen here. */
  principalHasNoRoles: Guard<'principal_has_no_roles'>;
  /** 409: An agent or active key uses the principal. */
  principalInUse: Guard<'principal_in_use'>;
  /** 409: The organization would lose its last owner. */
  lastOwner: Guard<'last_owner'>;
  /** 409: Action needs setup or has no worker; `details.readiness_reason`. */
  actionNotReady: Guard<'action_not_ready'>;
  /** 409: Audience change needs confirmation; `details` holds the counts. */
  visibilityChangeUnconfirmed: Guard<'visibility_change_unconfirmed'>;
  /** 409: Artifact already exists. */
  artifactConflict: Guard<'artifact_conflict'>;
  /** 409: The fleet is being upgraded and its releases before do not know this yet; `details.feature`. */
  upgradePending: Guard<'upgrade_pending'>;
  /** 410: Change feed position is older than kept history. */
  memoryCursorExpired: Guard<'memory_cursor_expired'>;
  /** 410: Event feed position is older than kept history. */
  cursorExpired: Guard<'cursor_expired'>;
  /** 413: Body, block or file is over its limit; `details.limit_bytes`. */
  payloadTooLarge: Guard<'payload_too_large'>;
  /** 415: Content type is not accepted. */
  unsupportedMediaType: Guard<'unsupported_media_type'>;
  /** 429: Too many requests; see `Retry-After`. */
  rateLimitExceeded: Guard<'rate_limit_exceeded'>;
  /** 431: Request headers exceed 16 KiB in sum or 100 in number. */
  headersTooLarge: Guard<'headers_too_large'>;
  /** 500: Unexpected failure; `details` never holds internals. */
  internalError: Guard<'internal_error'>;
  /** 503: A dependency is down; see `Retry-After`. */
  serviceUnavailable: Guard<'service_unavailable'>;
  /** 503: Semantic index is down; keyword search still works. */
  memorySemanticSearchUnavailable: Guard<'memory_semantic_search_unavailable'>;
  /** 503: Artifact storage is down. */
  artifactStorageUnavailable: Guard<'artifact_storage_unavailable'>;
}

export const is: Guards = /* @__PURE__ */ guardsOf(
  'bad_request invalid_argument invalid_cursor invalid_answer unknown_permission session_agent_ref_conflict session_key_scope_required unsupported_routine_kind unauthorized permission_denied forbidden system_role_immutable not_interaction_target not_interaction_reviewer plan_limit_exceeded method_not_allowed request_timeout not_found blueprint_reference_not_found conflict already_exists session_turn_active session_key_conflict session_not_active agent_inactive idempotency_conflict nudge_queue_full nudge_already_delivered compaction_disabled compaction_in_progress interaction_not_open interaction_open interaction_not_in_review already_responded blueprint_conflict blueprint_resource_protected immutable_field external_identity_conflict version_conflict principal_has_no_roles principal_in_use last_owner action_not_ready visibility_change_unconfirmed artifact_conflict upgrade_pending memory_cursor_expired cursor_expired payload_too_large unsupported_media_type rate_limit_exceeded headers_too_large internal_error service_unavailable memory_semantic_search_unavailable artifact_storage_unavailable',
);
