/** A mail up to this size is read at once: no form of it takes long. */
export const smallBytesMax = 64 * 1024;
/** Larger mails that one process reads at once; the others wait. */
export const readingMax = 2;
/** The process that reads one begins within this time. */
export const startMs = 10_000;
export const readingMs = 20_000;
export const processMegabytes = 256;
/** A sender that has its answer too late is gone, and its mail still waits. */
export const waitingMax = 100;
/** Their bytes, which lie in memory meanwhile. */
export const waitingBytesMax = 128 * 1024 * 1024;
