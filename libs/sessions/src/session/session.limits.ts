/** Rules L9, LIM3. */
export const pendingNudgesMax = 32;
/** Context names and bytes (rule L10). */
export const contextNamesMax = 8;
export const contextItemBytesMax = 8 * 1024;
export const contextTotalBytesMax = 16 * 1024;
/** Rule L4. */
export const mediaBlockBytesMax = 5 * 1024 * 1024;
export const mediaBlocksMax = 20;
/** Rule L20. */
export const blocksMax = 2000;
/** So many calls of an answer stand in one event of the log, which may not be large; the others in further ones. */
export const callsPerEventMax = 200;
/** Rule L11. */
export const metadataBytesMax = 16 * 1024;
export const metadataDepthMax = 8;
/** Members of metadata that find a session, and characters of each as `<key>:<value>` (rule S49). */
export const foundMetadataMax = 64;
export const foundMetadataCharactersMax = 512;
/** Rule L17. */
export const outputSchemaBytesMax = 32 * 1024;
/** Rule L6. */
export const timeoutSecondsDefault = 600;
/** A pass gives up after so many seconds (rule SES5). */
export const manualCompactionSeconds = 120;
export const automaticCompactionSeconds = 30;
/** Turns of a session that wait for their turn to run (outcomes, routines); a bound of ours. */
export const openTurnsMax = 1000;
/** So many turns end in one append when a session is cancelled, which may not be large; the others in further ones. */
export const cancelsPerAppendMax = 200;
/** One entry of the sparse index (sequence to revision) for so many rows. */
export const rowsPerMark = 64;
/** A folded-state snapshot every so many events. */
export const snapshotEvery = 400;
