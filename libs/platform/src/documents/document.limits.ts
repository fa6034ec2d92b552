/** Bounds of reading one document (rule TE82). */
export const inflatedBytesMax = 64 * 1024 * 1024;
export const entriesMax = 2_000;
export const textBytesMax = 1024 * 1024;
export const readingMs = 5_000;
/** The process that reads it begins within this time. */
export const startMs = 10_000;
export const processMegabytes = 128;
/** Documents that one process reads at once; the others wait, organizations in turns. */
export const readingMax = 2;
export const waitingPerOrganizationMax = 100;
export const waitingMax = 1_000;
/** Their bytes, which lie in memory meanwhile. */
export const waitingBytesPerOrganizationMax = 64 * 1024 * 1024;
export const waitingBytesMax = 256 * 1024 * 1024;
/** Of XML in an office file: attributes of one tag, and characters of a tag, a comment or another token. */
export const attributesMax = 1_000;
export const tokenCharactersMax = 4 * 1024 * 1024;
/** Empty cells of a row that are kept as such. */
export const emptyCellsMax = 64;
