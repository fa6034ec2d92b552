/**
 * What the steps of a turn that none follows take of a replica of session-service, in milliseconds of its processor:
 * together the 3.0 that `docs/reports/speed.md` has for it (84da50f), shared out as profiles of it do. A read of a
 * session that is not known here takes what a read of four events took (ADR 49), and its fold.
 */
export const processorMs = { admit: 1.2, answer: 0.4, end: 1.2, after: 0.2, load: 0.3 };

/** Of these a turn makes two. The client of the event store has so many under way, a process so many reads (ADR 49). */
export const callsMax = { appends: 15, loads: 64 };

/** Appends a second that the event store takes, and how long one is under way beyond its turn there. */
export const store = { appendsPerSecond: 15_000, latencyMs: [0.5, 5], readMs: [0.5, 2] } as const;

/** What the model of a turn takes. No processor of ours works meanwhile, and a process has slots enough. */
export const modelMs = 50;

/** A connection to a process that is dead is refused at once. */
export const refusedMs = 1;
