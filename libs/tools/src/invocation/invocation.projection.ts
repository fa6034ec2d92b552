import { collectionOf, type JsonObject, type PrincipalKind } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { InvocationEnd, InvocationEvent, InvocationOpening } from './invocation.events.js';
import { invocationKind, type InvocationState } from './invocation.state.js';

/** A row of the list: the record, and what its readers' reach rests on. */
export type ListedInvocation = {
  entry: JsonObject;
  actor_id: string;
  actor_kind: PrincipalKind;
  action_id: string | null;
  session_id: string | null;
};

/** The record as the contract shows it (`ActionInvocationEntry`). A worker counts as a service there (rule A8). */
export function invocationEntry(opening: InvocationOpening, end: InvocationEnd): JsonObject {
  const { action, actor, call } = opening;
  const { error, output_summary: summary, http_status: httpStatus, secret_version: secretVersion } = end;
  return {
    id: opening.id,
    job_id: opening.job_id,
    action_name: action.name,
    definition_scope: action.definition_scope,
    ...(action.id === null ? {} : { action_id: action.id }),
    ...(action.invocation_format === null ? {} : { invocation_format: action.invocation_format }),
    ...(action.invocation_format === 'signed_context_v1' ? { schema_version: 1 } : {}),
    actor_principal_id: actor.principal_id,
    actor_principal_type: actor.kind === 'worker' ? 'service' : actor.kind,
    ...(call === null
      ? {}
      : {
          agent_id: call.agent_id,
          agent_turn_id: call.turn_id,
          session_id: call.session_id,
          tool_call_id: call.tool_call_id,
        }),
    delivery_id: opening.delivery_id,
    correlation_id: opening.correlation_id,
    ...(secretVersion === null ? {} : { secret_version: secretVersion }),
    ...(httpStatus === null ? {} : { http_status: httpStatus }),
    source: opening.source,
    parameters: opening.parameters,
    ...(summary === null ? {} : { output_summary: summary }),
    status: end.status,
    retry_count: end.retry_count,
    started_at: opening.started_at,
    finished_at: end.finished_at,
    ...(error === null ? {} : { error_type: error.code, error_message: error.message }),
  };
}

/** Records of executions that are over, newest first by when they began. */
export const invocationsProjection: StreamProjection<InvocationState, InvocationEvent> = {
  name: 'invocations',
  version: 1,
  kind: invocationKind,
  on: new Set(['InvocationFinished', 'InvocationRecorded']),
  rows({ state: { opening, end }, revision }) {
    if (!opening || !end) return [];
    const { action, actor, call } = opening;
    const doc: ListedInvocation = {
      entry: invocationEntry(opening, end),
      actor_id: actor.principal_id,
      actor_kind: actor.kind,
      action_id: action.id,
      session_id: call?.session_id ?? null,
    };
    const index: Record<string, string | number> = {
      created: `${opening.started_at} ${opening.id}`,
      job: opening.job_id,
      delivery: opening.delivery_id,
      correlation: opening.correlation_id,
      action: action.name,
      definition_scope: action.definition_scope,
      status: end.status,
    };
    if (action.id !== null) index.action_id = action.id;
    if (end.secret_version !== null) index.secret_version = end.secret_version;
    return [
      {
        collection: collectionOf(invocationsProjection),
        scope: [opening.org_id],
        key: opening.id,
        revision,
        doc,
        index,
      },
    ];
  },
};

/** One row for each direct invocation that is not over, across organizations: what recovery looks through. */
export const openInvocationsProjection: StreamProjection<InvocationState, InvocationEvent> = {
  name: 'open_invocations',
  version: 1,
  kind: invocationKind,
  on: new Set(['InvocationStarted', 'InvocationFinished']),
  rows({ state: { opening, end }, revision }) {
    if (!opening) return [];
    const base = {
      collection: collectionOf(openInvocationsProjection),
      scope: ['*'],
      key: opening.id,
      revision,
      index: {},
    };
    return [{ ...base, doc: end ? null : { org_id: opening.org_id } }];
  },
};
