import type { Schema } from '@aos/contract';
import { defineEvents, event, type EventOf } from '@aos/kernel';

export type ConnectionKind = Schema<'ConnectionKind'>;

/** An action as it was when a person let an agent use an account with it. */
export type GrantedAction = { principal_id: string; name: string; endpoint_url: string | null };

export type ConnectionGrants = {
  principal_ids: string[];
  /** Of the team's only. */
  everyone: boolean;
  /** Of a person's own connection: what its grants to agents cover. */
  actions: GrantedAction[];
};

/** A connection as it stands, never with a secret. What its kind does not use is null. */
export type ConnectionRecord = {
  id: string;
  org_id: string;
  name: string;
  kind: ConnectionKind;
  provider: string | null;
  owner: { kind: 'person' | 'team'; id: string | null };
  /** Origins; of `smtp` one `host:port`. */
  hosts: string[];
  header: string | null;
  /** `{secret}` stands for the secret. */
  format: string | null;
  username: string | null;
  /** Of `headers`: names, in order. */
  header_names: string[];
  url: string | null;
  client_id: string | null;
  token_endpoint: string | null;
  /** Version of the secret that this record tells of. */
  secret_version: number;
  status: 'active' | 'needs_authorization';
  grants: ConnectionGrants;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
  deleted_at: string | null;
};

type Recorded = { connection: ConnectionRecord };

/** All events of a connection; one stream `connection-<id>`. Each carries the whole record. */
export const connectionEvents = defineEvents({
  ConnectionCreated: event<Recorded>(1, {}, { since: 'connections' }),
  ConnectionChanged: event<Recorded & { changed_fields: string[] }>(1, {}, { since: 'connections' }),
  /** Another secret is in place. */
  ConnectionRotated: event<Recorded>(1, {}, { since: 'connections' }),
  ConnectionGranted: event<Recorded>(1, {}, { since: 'connections' }),
  ConnectionDeleted: event<Recorded>(1, {}, { since: 'connections' }),
});

export type ConnectionEvent = EventOf<typeof connectionEvents>;
