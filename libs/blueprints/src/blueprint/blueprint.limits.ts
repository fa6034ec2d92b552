/** How long an apply waits for another of the same blueprint (rule B28). */
export const changeWaitMs = 10_000;
/**
 * How long a change lives without a sign of life: less than the wait, so that a waiting change sees a dead one's end.
 */
export const changeLivesMs = 8_000;
/** How old the last sign of life may be before the next write. */
export const changeSignMs = 2_000;
/** How often a waiting change looks again without a notification. */
export const changeLookMs = 500;
/** Entries of one event, and of one append (blob-free events stay under 200 KiB). */
export const entriesPerEvent = 200;
export const entriesPerAppend = 600;
/** How often a plan is made anew because a resource moved between plan and write. */
export const plansMax = 6;
/** Ids tried for one key: each resource created for the key before has used one up. */
export const generationsMax = 10_000;
/** Resources of one type that are written at the same time. */
export const writesAtOnce = 32;
/** Look-ups at once. */
export const lookUpsAtOnce = 32;
/** Conflicts that one refusal lists. */
export const conflictsMax = 50;
/** Characters of JSON that the values of one answer have at most (rule B32). */
export const shownValuesMax = 1_048_576;
