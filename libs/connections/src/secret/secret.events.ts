import { defineEvents, event, type EventOf } from '@aos/kernel';

/** A secret at rest: each value sealed for this organization, owner, version and name. */
export type SealedSecrets = {
  org_id: string;
  version: number;
  /** By name: `secret`, or the header's name. */
  values: Record<string, string>;
};

/** Values by name, in the clear: for one process only, never to be stored, logged or shown. */
export type OpenedSecrets = Readonly<Record<string, string>>;

/** One stream `secret-<id>`, kept at one event: what came before is given to the engine's next clean-up. */
export const secretEvents = defineEvents({
  SecretStored: event<SealedSecrets>(1, {}, { since: 'connections' }),
  /** Nothing is stored any more, and nothing will be. */
  SecretErased: event<{ org_id: string; version: number }>(1, {}, { since: 'connections' }),
});

export type SecretEvent = EventOf<typeof secretEvents>;
