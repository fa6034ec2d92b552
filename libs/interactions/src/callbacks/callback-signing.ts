import type { SealedFor } from '@aos/platform';

/** Takes 32 random bytes. */
export function newSigningSecret(bytes: Uint8Array): string {
  return `whsec_${Buffer.from(bytes).toString('base64url')}`;
}

/** The place that the sealed secret of an interaction is bound to. */
export function secretSeal(orgId: string, interactionId: string): SealedFor {
  return { orgId, resource: `interaction/${interactionId}/signing_secret/1` };
}
