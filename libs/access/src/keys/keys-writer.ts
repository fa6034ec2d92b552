import { Injectable } from '@nestjs/common';
import { apiKeyPrefix, apiKeyId, type Actor } from '@aos/platform';
import type { ApiKeyRecord } from '../apikey/apikey.events.js';
import { apiKeyResource } from '../apikey/api-key-resource.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { Names } from '../names/names.js';

export interface NewKey {
  secret: string;
  name: string;
  principalId: string;
  scopeRoleId?: string | null;
  orgRole?: string | null;
  expiresAt?: string | null;
  tags?: Record<string, string>;
  createdAt: string;
}

/** Stores keys: only their hash. */
@Injectable()
export class KeysWriter {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly names: Names,
  ) {}

  /**
   * Refuses  already_exists while a live key has the name. A repeat with the same secret and name is the same key.
   */
  async issue(actor: Actor, issued: NewKey): Promise<ApiKeyRecord> {
    const record: ApiKeyRecord = {
      id: apiKeyId(issued.secret),
      org_id: actor.orgId,
      name: issued.name,
      key_prefix: apiKeyPrefix(issued.secret),
      principal_id: issued.principalId,
      scope_role_id: issued.scopeRoleId ?? null,
      org_role: issued.orgRole ?? null,
      expires_at: issued.expiresAt ?? null,
      tags: issued.tags ?? {},
      created_at: issued.createdAt,
    };
    await this.names.create(actor, apiKeyResource(this.decisions), {
      name: issued.name,
      resourceId: record.id,
      definition: record,
    });
    return record;
  }
}
