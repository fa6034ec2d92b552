import { defineEvents, event, type EventOf } from '@aos/kernel';

/** The OAuth client of an organization at an outside service, never with its secret. */
export type ProviderRecord = {
  id: string;
  org_id: string;
  /** Its name, that actions and connections name. */
  provider: string;
  client_id: string;
  authorization_endpoint: string;
  token_endpoint: string;
  issuer: string;
  scopes: string[];
  hosts: string[];
  resource: string | null;
  /** Whether the record says that each answer has `iss`. */
  iss_required: boolean;
  /** Whether the issuer's metadata said so when it was saved. */
  iss_promised: boolean;
  /** Counts the changes of issuer, endpoints, client and hosts: connections of an earlier one are authorized anew. */
  version: number;
  /** Stream `secret-<id>` of the client's secret; another one after each deletion. */
  secret_id: string;
  /** Version of the secret that belongs to this record: another one is not sent. */
  secret_version: number;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
  deleted_at: string | null;
};

const feature = { since: 'connections' };

/** All events of a provider; one stream `provider-<id>`. Each carries the whole record. */
export const providerEvents = defineEvents({
  ProviderSaved: event<{ provider: ProviderRecord; changed_fields: string[] }>(1, {}, feature),
  ProviderDeleted: event<{ provider: ProviderRecord }>(1, {}, feature),
});

export type ProviderEvent = EventOf<typeof providerEvents>;
