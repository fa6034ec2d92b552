/** Rule TE13: bytes of a message's text. */
export const textBytesMax = 32 * 1024;
/** Who took a message starts its turn; after so long a timer does. Ours. */
export const startAfterMs = 2_000;

/** Rule I35: about 27 hours in all. */
export const replyTriesMax = 20;
export const replyTimeoutMs = 10_000;
/** A mail server may take its time before it greets. Ours. */
export const mailTimeoutMs = 20_000;
export const replyResponseBytesMax = 64 * 1024;
