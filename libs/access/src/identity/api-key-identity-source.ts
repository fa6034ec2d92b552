import { Injectable, Logger } from '@nestjs/common';
import {
  Clock,
  ReadStore,
  GenerationalCache,
  idPart,
  type Identity,
  type RoleAtRevision,
  messageOf,
} from '@aos/kernel';
import { IdentitySource, apiKeyId, bearerKey, whenThere, type Credentials, type Soon } from '@aos/platform';
import { isLive, apiKeyKind } from '../apikey/apikey.state.js';
import { grantsOf, intersection } from '../catalog/grants.decide.js';
import { systemRoleNames } from '../role/system-roles.js';
import { keyUseRow } from '../apikey/apikey.projection.js';
import { PrincipalReader } from '../principal/principal-reader.js';
import { RoleReader } from '../role/role-reader.js';
import { AccessChanges } from '../changes/access-changes.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { Granted } from './granted.js';

/** An identity without the facts that only the request has. */
type KeyIdentity = Omit<Identity, 'apiKeyId' | 'requestId' | 'ip'> & { apiKeyId: string };

export interface UsedKey {
  readonly who: KeyIdentity;
  readonly expiresAt: number | null;
}

interface Kept extends UsedKey {
  readAt: number;
}

const staleAfterMs = 10_000;
const keptMax = 10_000;
const useNotedEveryMs = 60_000;

/**
 * Turns an API key into an identity: its principal and what that may do.
 *
 * Promises: a change written in this process, or through this gateway, holds from the next request on. A change from
 * elsewhere holds from its acknowledgement on while the live bus works (within a second where the bus is a cluster),
 * and within 10 s always.
 */
@Injectable()
export class ApiKeyIdentitySource extends IdentitySource {
  private readonly logger = new Logger('access');
  private readonly kept = new GenerationalCache<Kept>(keptMax);
  private readonly keyIds = new KeyIds();
  private readonly usesNoted = new GenerationalCache<number>(keptMax);

  constructor(
    private readonly decisions: AccessDecisions,
    private readonly principals: PrincipalReader,
    private readonly roleReader: RoleReader,
    private readonly granted: Granted,
    private readonly changes: AccessChanges,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {
    super();
    changes.onChange((orgId) => this.drop(orgId));
  }

  /**
   * Gives    the identity, or null for a key that is malformed, unknown, revoked, expired, or of a principal that is
   *          not active: one answer for all.
   * Throws `StoreUnavailable` when the log cannot answer; an unknown key costs one look-up.
   */
  override identify({ authorization, connection, ip, requestId }: Credentials): Soon<Identity | null> {
    const keyId = this.keyIds.of(authorization, connection);
    return keyId === null ? null : whenThere(this.used(keyId), (known) => known && { ...known.who, ip, requestId });
  }

  /**
   * A key that a request uses, directly or by a token of it; null as for `identify`. `expiresAt` in milliseconds since
   * 1970, null without an end.
   */
  used(keyId: string): Soon<UsedKey | null> {
    const kept = this.kept.get(keyId);
    const isFresh = kept && this.clock.monotonic() - kept.readAt < staleAfterMs;
    return whenThere(isFresh ? kept : this.read(keyId), (known) => {
      if (!known || (known.expiresAt !== null && known.expiresAt <= this.clock.now())) return null;
      this.noteUse(known.who);
      return known;
    });
  }

  /**
   * The identity of a key, read anew; null once the key is revoked or expired, or its principal is not active. Throws
   * `StoreUnavailable`.
   */
  async standing(keyId: string): Promise<KeyIdentity | null> {
    const known = await this.read(keyId);
    return known && (known.expiresAt === null || known.expiresAt > this.clock.now()) ? known.who : null;
  }

  private async read(keyId: string): Promise<Kept | null> {
    const { generation } = this.changes;
    const readAt = this.clock.monotonic();
    this.kept.delete(keyId);
    const { state } = await this.decisions.load(apiKeyKind, idPart(keyId));
    const { key } = state;
    if (!key) this.decisions.forget(apiKeyKind, idPart(keyId));
    if (!key || !isLive(state, this.clock.now())) return null;
    this.changes.watch(key.org_id);
    const found = await this.principals.find(key.org_id, key.principal_id);
    if (!found || found.status !== 'active') return null;
    const own = await this.granted.ofPrincipal(key.org_id, found);
    const { cap, permissions: capPermissions } = await this.capOf(key.org_id, key.scope_role_id, key.org_role);
    const base = capPermissions
      ? intersection(grantsOf(own.permissions), grantsOf(capPermissions)).base
      : grantsOf(own.permissions).base;
    const who: KeyIdentity = {
      orgId: key.org_id,
      principalId: key.principal_id,
      kind: found.principal.kind,
      apiKeyId: keyId,
      permissions: base,
      roles: own.roles,
      cap,
    };
    const known: Kept = { who, expiresAt: key.expires_at === null ? null : Date.parse(key.expires_at), readAt };
    if (generation === this.changes.generation && this.changes.mayKeep(key.org_id)) this.kept.set(keyId, known);
    return known;
  }

  /** The role that caps the key; a deleted role leaves the key no permissions. */
  private async capOf(
    orgId: string,
    scopeRoleId: string | null,
    orgRole: string | null,
  ): Promise<{ cap: RoleAtRevision | null; permissions: readonly string[] | null }> {
    const systemName = systemRoleNames.find((name) => name === orgRole);
    const roleId = scopeRoleId ?? (systemName ? await this.roleReader.systemRoleId(orgId, systemName) : null);
    if (roleId === null) return { cap: null, permissions: null };
    const found = await this.roleReader.find(orgId, roleId);
    return found
      ? { cap: { roleId, revision: found.revision }, permissions: found.role.permissions }
      : { cap: await this.roleReader.newest(roleId), permissions: [] };
  }

  private drop(orgId: string | null): void {
    this.kept.deleteWhere(({ who }) => orgId === null || who.orgId === orgId);
  }

  /**
   * Records the last use, best effort, at most once a minute for each key: as a row of its own beside the projections,
   * never as an event.
   */
  private noteUse({ orgId, apiKeyId: keyId }: KeyIdentity): void {
    const now = this.clock.now();
    if (now - (this.usesNoted.get(keyId) ?? Number.NEGATIVE_INFINITY) < useNotedEveryMs) return;
    this.usesNoted.set(keyId, now);
    this.readStore.put([keyUseRow(orgId, keyId, now)]).catch((error: unknown) => {
      this.logger.warn(`last use of ${keyId} was not noted: ${messageOf(error)}`);
    });
  }
}

interface KeptKeyId {
  authorization: string;
  keyId: string;
}

/**
 * The id of the key in an `authorization` header. It costs a hash of the key, so the last one of each connection is
 * kept: it follows from the header's bytes alone, and says nothing of what the key may do (rule TP15).
 */
export class KeyIds {
  private readonly kept = new WeakMap<object, KeptKeyId>();

  /** Takes the header, and what it came on. Gives null for a header that cannot hold a key. */
  of(authorization: string | undefined, connection?: object): string | null {
    const kept = connection && this.kept.get(connection);
    if (kept && kept.authorization === authorization) return kept.keyId;
    const key = bearerKey(authorization);
    if (key === null || authorization === undefined) return null;
    const keyId = apiKeyId(key);
    if (connection) this.kept.set(connection, { authorization, keyId });
    return keyId;
  }
}
