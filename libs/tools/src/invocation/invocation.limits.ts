/** Seconds that an invocation is waited for (rule L7). */
export const waitSecondsDefault = 30;
/** Below what clients wait for an answer at all: no endpoint may block for 60 s (rule C4). */
export const waitSecondsMax = 50;
/** Characters of `Idempotency-Key` (rule G18). */
export const idempotencyKeyMax = 255;
/**
 * Processes that may try one invocation, each after the one before fell (rule R24): one that takes its process along
 * does not do so for ever.
 */
export const runsMax = 5;
/** Bytes of JSON up to which a record shows the input whole. */
export const parametersShownBytesMax = 8 * 1024;
/** Characters of what is shown of a large input, and of an output. */
export const previewCharactersMax = 1000;
/** Direct invocations of one organization, and of all, that one process carries out at once. */
export const runningPerOrganizationMax = 100;
export const runningMax = 2000;
