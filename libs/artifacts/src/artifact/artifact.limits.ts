/** Bytes of the file in one piece; the last one has what is left (rule TE2). */
export const pieceBytes = 4 * 1024 * 1024;
/** Random bytes in front of each piece, so that no two uploads share a blob (rule TE3). */
export const nonceBytes = 16;
/** All fields of a form but the file together (rule TE2). */
export const fieldBytesMax = 128 * 1024;
export const nameMax = 256;
export const mimeMax = 255;
export const metadataBytesMax = 64 * 1024;
export const metadataDepthMax = 8;
/** An upload that is older is abandoned by a timer, also after its process died (rule TE3). */
export const uploadAgeMaxMs = 20 * 60_000;
/** As much as a model is given of a file (rule TE8). */
export const convertedBytesMax = 10 * 1024 * 1024;
/** A timer begins a conversion that its process did not begin, or did not end, after these times (rule TE83). */
export const conversionDelayMs = 10_000;
export const conversionRetryMs = 60_000;
export const conversionAttemptsMax = 5;
/** A text whose process did not end its conversion is taken away, sooner when the artifact was deleted (rule TE3). */
export const textAgeMaxMs = 2 * 60_000;
export const deletedTextAgeMaxMs = 30_000;
/** What was abandoned or deleted is cleaned by who did it; the timer looks after this time. */
export const cleanupDelayMs = 5_000;
/** Uploads under one key at once. */
export const uploadsAtOnceMax = 64;
/** Artifacts of an organization (rule TE4). */
export const artifactsMax = 100_000;
/** Uploads of an organization that are not settled yet. */
export const reservationsMax = 1_000;
/** A reservation is closed by what its artifact's stream says; a little after that stream's own timer (rule TE4). */
export const reservationAgeMaxMs = 21 * 60_000;
