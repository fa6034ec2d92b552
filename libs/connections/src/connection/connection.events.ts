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

/** A flow of the authorization code kind, from `authorize` to its end. */
export type AuthorizationFlow = {
  id: string;
  /** Only this principal completes it. */
  begun_by: string;
  return_to: string;
  expires_at: string;
  status: 'open' | 'arrived' | 'redeemed';
  /** SHA-256 of the receipt that the browser was given; null before. */
  receipt_hash: string | null;
  /** Try at the token endpoint that redeems its code; 0 before. */
  attempt: number;
  /** What the provider's record said when the flow began: tokens are asked for there, and kept with it. */
  provider: AuthorizedAt;
};

/** The part of a provider's record that an account is authorized with (rule TE21). */
export type AuthorizedAt = {
  version: number;
  issuer: string;
  client_id: string;
  token_endpoint: string;
  hosts: string[];
  scopes: string[];
  resource: string | null;
  /** Whether an answer without `iss` is refused. */
  iss_demanded: boolean;
};

/** Of the OAuth kinds. */
export type ConnectionOAuth = {
  scopes: string[];
  resource: string | null;
  /** Of `oauth2_authorization_code`: who issued its tokens, and the version of the provider's record; null before. */
  issuer: string | null;
  provider_version: number | null;
  /** Tries at the token endpoint so far. */
  attempt: number;
  /** Access tokens of earlier tries are used no more. */
  valid_from: number;
  /** The try that is under way; what comes after `until` counts only while no later one began. */
  refresh: { attempt: number; until: string } | null;
  flow: AuthorizationFlow | null;
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
  /** Of the OAuth kinds only. */
  oauth?: ConnectionOAuth;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
  deleted_at: string | null;
};

type Recorded = { connection: ConnectionRecord };
type Failed = Recorded & { attempt: number; reason: string };
const feature = { since: 'connections' };

/** All events of a connection; one stream `connection-<id>`. Each carries the whole record. */
export const connectionEvents = defineEvents({
  ConnectionCreated: event<Recorded>(1, {}, feature),
  ConnectionChanged: event<Recorded & { changed_fields: string[] }>(1, {}, feature),
  /** Another secret is in place. */
  ConnectionRotated: event<Recorded>(1, {}, feature),
  ConnectionGranted: event<Recorded>(1, {}, feature),
  ConnectionDeleted: event<Recorded>(1, {}, feature),
  /** A browser is sent to the provider. */
  AuthorizationBegun: event<Recorded & { flow_id: string }>(1, {}, feature),
  /** The browser came back with a code, which is stored. */
  CodeArrived: event<Recorded & { flow_id: string }>(1, {}, feature),
  /** Before the issuer is asked for tokens: the code is not used again. */
  CodeRedeemed: event<Recorded & { flow_id: string; attempt: number }>(1, {}, feature),
  /** Tokens are stored. */
  ConnectionAuthorized: event<Recorded & { attempt: number }>(1, {}, feature),
  /** The provider refused, or its answer was not its own. */
  AuthorizationFailed: event<Recorded & { flow_id: string; reason: string }>(1, {}, feature),
  /** Before the token endpoint is asked: others wait for the end of it. */
  RefreshBegun: event<Recorded & { attempt: number; until: string }>(1, {}, feature),
  /** Another access token is stored. */
  TokenRefreshed: event<Recorded & { attempt: number }>(1, {}, feature),
  RefreshFailed: event<Failed>(1, {}, feature),
  /** The issuer does not take what is stored any more: its owner is needed. */
  AuthorizationLost: event<Failed>(1, {}, feature),
});

export type ConnectionEvent = EventOf<typeof connectionEvents>;
