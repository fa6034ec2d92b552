/** Rules LIM1, LIM2, L8, L13. */
export const questionsMax = 12;
export const targetsMax = 100;
export const reviewersMax = 100;
/** Things an interaction is about. Ours. */
export const referencesMax = 100;
/** The whole form, and all references, as JSON. Ours. */
export const formBytesMax = 256 * 1024;
export const referencesBytesMax = 64 * 1024;
/** Rule L18: answers and comment of one response as JSON. */
export const responseBytesMax = 256 * 1024;
/** All responses of one interaction together, so that one record can always be read whole. Ours. */
export const responsesBytesMax = 2 * 1024 * 1024;
/** Rounds of work and review. Ours. */
export const roundsMax = 100;
/** Free objects beside the form (as rule L11). */
export const objectBytesMax = 16 * 1024;
export const objectDepthMax = 8;
export const toolCallIdMax = 256;
/** Open interactions of the session that asks, all of which each page of its transcript has. Rule L24. */
export const openQuestionsMax = 100;

/** Rule I35: about 27 hours in all. */
export const callbackTriesMax = 20;
export const callbackTimeoutMs = 10_000;
export const callbackResponseBytesMax = 64 * 1024;
