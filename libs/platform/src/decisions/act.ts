import type { EventMeta, Identity, PrincipalKind } from '@aos/kernel';

/** Who does something and within which request: becomes the metadata of every event of it. */
export interface Act {
  orgId: string;
  principalId: string;
  principalKind: PrincipalKind;
  apiKeyId: string | null;
  ip: string | null;
  requestId: string;
  /** What the act belongs to, such as a turn; the request itself when absent. */
  correlationId?: string;
  /** Event or command that brought it about. */
  causationId?: string;
}

export function actOf(identity: Identity): Act {
  const { orgId, principalId, kind, apiKeyId, ip, requestId } = identity;
  return { orgId, principalId, principalKind: kind, apiKeyId, ip, requestId };
}

/** The service acts by itself (a timer, a runner) for an organization, on behalf of `principalId`. */
export function serviceAct(
  orgId: string,
  principalId: string,
  correlationId: string,
  principalKind: PrincipalKind = 'system',
): Act {
  return { orgId, principalId, principalKind, apiKeyId: null, ip: null, requestId: correlationId, correlationId };
}

/** The metadata of one event (flat text; ARCHITECTURE.md section 3). */
export function metaOf(act: Act, schemaVersion: number, recordedAt: string): EventMeta {
  const meta: EventMeta = {
    schema_version: String(schemaVersion),
    org_id: act.orgId,
    principal_id: act.principalId,
    principal_kind: act.principalKind,
    request_id: act.requestId,
    recorded_at: recordedAt,
  };
  if (act.apiKeyId) meta.api_key_id = act.apiKeyId;
  if (act.ip) meta.ip = act.ip;
  if (act.correlationId) meta.correlation_id = act.correlationId;
  if (act.causationId) meta.causation_id = act.causationId;
  return meta;
}
