import type { JsonObject, PrincipalKind } from '@aos/kernel';
import type { InvocationFormat } from '@aos/definitions/published';

/** The origin of a call. */
export type ActionOrigin =
  { kind: 'agent_tool_call'; turnId: string; sessionId: string; toolCallId: string } | { kind: 'direct_action_invoke' };

/** The facts of a call that its receiver gets. */
export interface ActionCall {
  orgId: string;
  action: { id: string; name: string };
  actor: { principalId: string; kind: PrincipalKind };
  origin: ActionOrigin;
  parameters: JsonObject;
}

export interface ActionBody {
  contentType: string;
  body: Uint8Array;
}

/**
 * The body of an action's request.
 *
 * Takes    `token`: spelling of the vendor token, `svc`.
 * Source   rules R22, C38.
 */
export function actionBody(format: InvocationFormat, token: string, call: ActionCall): ActionBody {
  if (format === 'legacy') return encoded('application/json', { parameters: call.parameters });
  return encoded(`application/vnd.${token}.action-invocation+json; version=1`, {
    [token]: contextOf(call),
    parameters: call.parameters,
  });
}

function contextOf({ orgId, action, actor, origin }: ActionCall): JsonObject {
  return {
    schema_version: 1,
    scope: { org_id: orgId },
    action: { ...action },
    actor: {
      principal_id: actor.principalId,
      principal_type: actor.kind === 'worker' ? 'service' : actor.kind,
      ...(actor.kind === 'agent' ? { agent_id: actor.principalId } : {}),
    },
    origin: originOf(origin),
  };
}

function originOf(origin: ActionOrigin): JsonObject {
  if (origin.kind === 'direct_action_invoke') return { kind: origin.kind };
  return {
    kind: origin.kind,
    agent_turn_id: origin.turnId,
    session_id: origin.sessionId,
    tool_call_id: origin.toolCallId,
  };
}

function encoded(contentType: string, body: JsonObject): ActionBody {
  return { contentType, body: Buffer.from(JSON.stringify(body), 'utf8') };
}
