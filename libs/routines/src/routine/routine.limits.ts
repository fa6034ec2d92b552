/** Bounds of ours; the contract bounds the name only. */
export const nameLengthMax = 128;
/** Length in characters of a name that is derived from the instructions, because the author gave none. */
export const derivedNameLengthMax = 60;
export const instructionsBytesMax = 32 * 1024;
export const conditionBytesMax = 2 * 1024;
/** Routines of one organization that are not cancelled. */
export const routinesPerOrganizationMax = 1000;
/** People and software on the roster of one routine. */
export const rosterMax = 200;
/** Of a cron pattern: all minutes, hours, days and months by their numbers take some 400 characters. */
export const cronCharactersMax = 1000;
/** The shortest and the longest time between two runs of an interval. */
export const intervalMsMin = 1000;
export const intervalMsMax = 366 * 24 * 60 * 60 * 1000;
/**
 * Passed-over due times of one routine that are recorded as missed after a downtime; the others are gone without a
 * record.
 */
export const missedRecordedMax = 20;
/** Runs of one routine that wait or are under way; what matches beyond is skipped. */
export const openOccurrencesMax = 500;
/** Runs of one routine that events start within an hour: what no chain of causes explains still cannot run away. */
export const runsPerHourMax = 1000;
/** Routines that one event starts. */
export const matchesPerEventMax = 100;
/**
 * Length of a chain: routines with runs that set each other off, one after the other. No routine is twice in a chain.
 */
export const chainMax = 8;
/** An event over this is handed to the turn by its `meta` alone. */
export const eventInputBytesMax = 48 * 1024;
/** `occurrence_count` counts so far. */
export const occurrencesCountedMax = 100_000;
