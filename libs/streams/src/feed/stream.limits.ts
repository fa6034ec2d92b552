/** Rule F24: live frames that a slow reader may have waiting. */
export const waitingFramesMax = 1000;
export const waitingBytesMax = 4 * 1024 * 1024;
/** Recent frames of a session kept encoded; what is older comes from the log. Ours. */
export const bufferEntriesMax = 1024;
export const bufferBytesMax = 4 * 1024 * 1024;
/** Events of one read from the log. */
export const readPage = 64;
/**
 * Heads of watched sessions: how often they are checked with a healthy notifier, and without one (ARCHITECTURE.md
 * section 6).
 */
export const headCheckMs = 15_000;
export const headCheckUnhealthyMs = 1_000;
/** Streams of one look-up of heads (port EventStore). */
export const headsMax = 1000;
/** A viewer's right to read is checked again this often. */
export const accessCheckMs = 30_000;
/** A reader whose socket takes nothing for so long is dropped; it can resume. Ours. */
export const stalledMs = 60_000;
/** Live signals held back while the log or a preview is read. */
export const deferredSignalsMax = 2000;
/** Reads of the preview before a gap in live text is left to the final row. */
export const previewReadsMax = 5;
/** Events looked through for the row of a tool call, newest first: a turn's step is never longer. */
export const callSearchMax = 4096;
/** Rows of a snapshot page when none is asked for (rule L5). */
export const snapshotRowsDefault = 20;
/** How long a stream that begins waits for a bus that does not answer: without it only live frames come late. */
export const subscribeMs = 500;
