export interface TurnReference {
  orgId: string;
  sessionId: string;
  turnId: string;
  /** Epoch of a running turn whose runner gave no sign of life; null: the turn is claimed only if it is queued. */
  takeover: number | null;
}
