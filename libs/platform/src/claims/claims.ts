import { StoreUnavailable } from '@aos/kernel';
import type { Claimable } from './claimable.js';

export type { Claimable, ClaimStanding } from './claimable.js';

/** How often a claim is looked at before the request gives up: each time another request moved it. */
const attemptsMax = 16;

/**
 * Gives the live holder, or null when there is none. Throws `StoreUnavailable` when it changes hands without end.
 */
export function holderOf<H, F>(claimable: Claimable<H, F>): Promise<H | null> {
  return claim(claimable, () => Promise.resolve(true));
}

/**
 * Takes    what is wanted, and how a claim is written that rests on how it was found free: it gives false, and has
 *          written nothing, when the claim's stream has moved since.
 * Gives    null once the claim is written; the holder when it is taken.
 * Throws `StoreUnavailable` when it changes hands without end.
 */
export async function claim<H, F>(
  { what, standing }: Claimable<H, F>,
  write: (free: F) => Promise<boolean>,
): Promise<H | null> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const found = await standing();
    if (found.status === 'taken') return found.holder;
    if (found.status === 'unfinished') await found.finish();
    else if (await write(found)) return null;
  }
  throw new StoreUnavailable(`too many concurrent changes of this ${what}`);
}

/**
 * Gives a claim up whose holder is gone. When the store fails, `onLeft` is called: the claim stays until the next
 * request that wants it takes it over.
 */
export async function release(write: () => Promise<unknown>, onLeft: (error: StoreUnavailable) => void): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    onLeft(error);
  }
}
