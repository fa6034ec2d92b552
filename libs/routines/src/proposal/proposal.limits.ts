/** A proposal can be approved for so long. */
export const pendingMs = 7 * 24 * 60 * 60 * 1000;
/** Proposals to one person that wait at once. */
export const pendingMax = 20;
/** Closed and expired proposals of one person that are kept, the newest ones. */
export const closedMax = 100;
