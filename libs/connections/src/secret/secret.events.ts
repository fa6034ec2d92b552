import { defineEvents, event, type EventOf } from '@aos/kernel';

/** A secret at rest: each value sealed for this organization, owner, version and name. */
export type SealedSecrets = {
  org_id: string;
  version: number;
  /** By name: `secret`, the header's name, `access_token`, `refresh_token`, `code`, `verifier`. */
  values: Record<string, string>;
  /** Of an access token among them. */
  token?: TokenFacts;
  /** Flow of a code among them. */
  code_of?: string;
};

/** What may be known of an access token. `attempt`: the try that fetched it; `expires_at`: null when it is not said. */
export type TokenFacts = { attempt: number; expires_at: string | null };

/** Values by name, in the clear: for one process only, never to be stored, logged or shown. */
export type OpenedSecrets = Readonly<Record<string, string>>;

/** One stream `secret-<id>`, kept at one event: what came before is given to the engine's next clean-up. */
export const secretEvents = defineEvents({
  SecretStored: event<SealedSecrets>(1, {}, { since: 'connections' }),
  /** Nothing is stored any more, and nothing will be. */
  SecretErased: event<{ org_id: string; version: number }>(1, {}, { since: 'connections' }),
});

export type SecretEvent = EventOf<typeof secretEvents>;
