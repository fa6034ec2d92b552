import { base32, sha256Hex, type Identity, type Ids } from '@aos/kernel';
import type { WorkerFrame } from './frames.decide.js';

/** A worker as it registered on its connection. */
export interface Registration {
  instanceId: string;
  leaseName: string;
  leaseOwner: string;
  concurrencyLimit: number | null;
  name: string | null;
  version: string | null;
}

type RegisterFrame = Extract<WorkerFrame, { type: 'worker.register' }>;

const tokenForm = /^wst_[0-9a-z]{32}$/;

/** The token by which a worker is known again: the one that it brings, else a new one. */
export function tokenOf({ sessionToken }: RegisterFrame, ids: Ids): string {
  if (sessionToken !== null && tokenForm.test(sessionToken)) return sessionToken;
  return `wst_${base32(ids.randomBytes(20), 32)}`;
}

/** What a first registration makes: the name of a worker is leased by the owner of its token. */
export function registrationOf(
  { instanceId, concurrencyLimit, name, version }: RegisterFrame,
  token: string,
  { orgId, principalId }: Identity,
): Registration {
  return {
    instanceId,
    leaseName: `worker:${sha256Hex(`${orgId}\n${principalId}\n${instanceId}`)}`,
    leaseOwner: sha256Hex(token),
    concurrencyLimit,
    name,
    version,
  };
}
