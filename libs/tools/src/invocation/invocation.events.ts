import {
  defineEvents,
  event,
  type BasePermission,
  type EventOf,
  type JsonObject,
  type PrincipalKind,
  type RoleAtRevision,
} from '@aos/kernel';
import type { InvocationFormat } from '@aos/definitions/published';

export type InvocationSource = 'direct_action_invoke' | 'agent_tool_call';
export type InvocationStatus = 'success' | 'failed' | 'cancelled';

/** The action as it was when it was invoked. */
export type InvokedAction = {
  /** Null for built-in ones. */
  id: string | null;
  name: string;
  definition_scope: 'platform' | 'custom';
  endpoint_kind: 'builtin' | 'http' | 'worker';
  invocation_format: InvocationFormat | null;
};

/** The tool call that an execution belongs to. */
export type InvokedBy = { agent_id: string; session_id: string; turn_id: string; tool_call_id: string };

export type InvocationOpening = {
  id: string;
  org_id: string;
  job_id: string;
  /** Same on every attempt and after every crash. */
  delivery_id: string;
  source: InvocationSource;
  action: InvokedAction;
  actor: { principal_id: string; kind: PrincipalKind };
  /** Null for a direct invocation. */
  call: InvokedBy | null;
  correlation_id: string;
  /** The input as the record shows it: whole, or the beginning of a large one. */
  parameters: JsonObject;
  started_at: string;
};

/** Who invoked, as the gateway saw it: what a process that takes the invocation over acts as. */
export type InvokingCaller = {
  api_key_id: string | null;
  permissions: BasePermission[];
  roles: RoleAtRevision[];
  cap: RoleAtRevision | null;
  ip: string | null;
};

export type InvocationEnd = {
  status: InvocationStatus;
  error: { code: string; message: string } | null;
  output_summary: JsonObject | null;
  http_status: number | null;
  retry_count: number;
  secret_version: number | null;
  finished_at: string;
};

/**
 * A direct invocation begins and finishes; a tool call, whose job is in its session's stream, is recorded once it is
 * over.
 */
export const invocationEvents = defineEvents({
  InvocationStarted: event<{ opening: InvocationOpening; caller: InvokingCaller; input: JsonObject; digest: string }>(
    1,
  ),
  InvocationTakenOver: event<{ run: number; at: string }>(1),
  InvocationFinished: event<{ end: InvocationEnd; output: JsonObject | null }>(1),
  InvocationRecorded: event<{ opening: InvocationOpening; end: InvocationEnd }>(1),
});
export type InvocationEvent = EventOf<typeof invocationEvents>;
