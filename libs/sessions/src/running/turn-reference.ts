export interface TurnReference {
  orgId: string;
  sessionId: string;
  turnId: string;
  /** Epoch of a running turn with a silent runner; null: the turn is claimed only if it is queued. */
  takeover: number | null;
}
