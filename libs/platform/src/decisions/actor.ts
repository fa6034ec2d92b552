import type { EventMeta, Identity, PrincipalKind } from '@aos/kernel';

/** Who does something and within which request: becomes the metadata of every event of it. */
export interface Actor {
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

export function actorOf(identity: Identity): Actor {
  const { orgId, principalId, kind, apiKeyId, ip, requestId } = identity;
  return { orgId, principalId, principalKind: kind, apiKeyId, ip, requestId };
}

/** The service acts by itself (a timer, a runner) for an organization, on behalf of `principalId`. */
export function serviceActor(
  orgId: string,
  principalId: string,
  correlationId: string,
  principalKind: PrincipalKind = 'system',
): Actor {
  return { orgId, principalId, principalKind, apiKeyId: null, ip: null, requestId: correlationId, correlationId };
}

/** The metadata of one event (flat text; ARCHITECTURE.md section 3). */
function metaOf(actor: Actor, schemaVersion: number, recordedAt: string): EventMeta {
  const meta: EventMeta = {
    schema_version: String(schemaVersion),
    org_id: actor.orgId,
    principal_id: actor.principalId,
    principal_kind: actor.principalKind,
    request_id: actor.requestId,
    recorded_at: recordedAt,
  };
  if (actor.apiKeyId) meta.api_key_id = actor.apiKeyId;
  if (actor.ip) meta.ip = actor.ip;
  if (actor.correlationId) meta.correlation_id = actor.correlationId;
  if (actor.causationId) meta.causation_id = actor.causationId;
  return meta;
}

/** Metadata of one append: its events of one actor and version share it. */
export function sharedMetas(recordedAt: string): (actor: Actor, version: number) => EventMeta {
  const metas = new Map<Actor, Map<number, EventMeta>>();
  return (actor, version) => {
    const ofActor = metas.get(actor) ?? new Map<number, EventMeta>();
    metas.set(actor, ofActor);
    const meta = ofActor.get(version) ?? metaOf(actor, version, recordedAt);
    ofActor.set(version, meta);
    return meta;
  };
}
