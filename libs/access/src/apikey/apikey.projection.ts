import { collection, rfc3339, type ReadRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { ApiKeyEvent, ApiKeyRecord } from './apikey.events.js';
import { apiKeyKind, type ApiKeyState } from './apikey.state.js';

/** Live keys by creation, and by the principal they act as. */
export const keysProjection: StreamProjection<ApiKeyState, ApiKeyEvent> = {
  name: 'api_keys',
  version: 1,
  kind: apiKeyKind,
  rows({ state: { key, revoked }, revision }) {
    if (!key) return [];
    const index = { created: key.created_at, principal: key.principal_id };
    return [
      keyRows.row({
        scope: [key.org_id],
        key: key.id,
        revision,
        doc: revoked ? null : { ...key },
        index: revoked ? {} : index,
      }),
    ];
  },
};
export const keyRows = collection<ApiKeyRecord>(keysProjection);

export const keyUseRows = collection<{ last_used_at: string }>('api_key_use@1');

/** When a key was last used; the second is the revision, so that the latest stays. */
export function keyUseRow(orgId: string, keyId: string, usedAt: number): ReadRow {
  return keyUseRows.row({
    scope: [orgId],
    key: keyId,
    revision: Math.floor(usedAt / 1000),
    doc: { last_used_at: rfc3339(usedAt) },
    index: {},
  });
}
