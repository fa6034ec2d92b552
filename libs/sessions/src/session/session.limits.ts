/** Decision L9; specification, Limits. */
export const pendingNudgesMax = 32;
/** Specification, Limits: context names and bytes (decision L10). */
export const contextNamesMax = 8;
export const contextItemBytesMax = 8 * 1024;
export const contextTotalBytesMax = 16 * 1024;
/** Decision L4. */
export const mediaBlockBytesMax = 5 * 1024 * 1024;
export const mediaBlocksMax = 20;
/** Rule L20. */
export const blocksMax = 2000;
/** Decision L11. */
export const metadataBytesMax = 16 * 1024;
export const metadataDepthMax = 8;
/** Decision L17. */
export const outputSchemaBytesMax = 32 * 1024;
/** Decision L6. */
export const timeoutSecondsDefault = 600;
/** Specification, Limits: a pass gives up after so many seconds. */
export const manualCompactionSeconds = 120;
export const automaticCompactionSeconds = 30;
/** Turns of a session that wait for their turn to run (outcomes, routines); a bound of ours. */
export const openTurnsMax = 1000;
/** One entry of the sparse index (sequence to revision) for so many rows. */
export const rowsPerMark = 64;
/** A folded-state snapshot every so many events. */
export const snapshotEvery = 400;
