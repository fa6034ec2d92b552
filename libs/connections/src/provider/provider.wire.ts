import type { Schema } from '@aos/contract';
import { withoutNulls } from '@aos/kernel';
import type { ProviderRecord } from './provider.events.js';

/** The contract's `Provider`. */
export function providerWire(record: ProviderRecord): Schema<'Provider'> {
  const { provider, client_id, authorization_endpoint, token_endpoint, issuer, resource } = record;
  return {
    provider,
    client_id,
    authorization_endpoint,
    token_endpoint,
    issuer,
    scopes: [...record.scopes],
    hosts: [...record.hosts],
    iss_required: demandsIss(record),
    created_at: record.created_at,
    updated_at: record.updated_at,
    ...withoutNulls({ resource }),
  };
}

/** The contract's `ProviderSummary`. */
export function providerSummaryWire(provider: string): Schema<'ProviderSummary'> {
  return { provider, kinds: ['oauth2_client_credentials', 'oauth2_authorization_code'] };
}

/** Whether an answer without `iss` is refused (rule TE26). */
export function demandsIss({ iss_required, iss_promised }: ProviderRecord): boolean {
  return iss_required || iss_promised;
}
