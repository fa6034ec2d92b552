import { base32 } from '@aos/kernel';

const randomCharacters = 32;
/** `lease_`, random characters, and the job that it is a lease on. */
const form = /^lease_[0-9a-z]{32}_([0-9a-z]{20,64})$/;

/** Takes 20 random bytes and a job's id behind its prefix. */
export function leaseToken(random: Uint8Array, jobPart: string): string {
  return `lease_${base32(random, randomCharacters)}_${jobPart}`;
}

/** The job that a token names, behind the prefix of its id; null for another text. */
export function jobPartOf(token: string): string | null {
  return form.exec(token)?.[1] ?? null;
}
