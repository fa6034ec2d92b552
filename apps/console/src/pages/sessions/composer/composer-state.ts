export interface ComposerFacts {
  /** Of the session. */
  status: 'active' | 'archived' | 'deleted';
  /** Statuses of the turns that are open, oldest first. */
  openTurns: readonly string[];
  /** Whether the key has `svc.resource.use`. */
  mayUse: boolean;
  /** Nudges that wait. */
  pendingNudges: number;
}

export interface ComposerState {
  /** What Enter does: it starts a turn, or steers the open one. Null when nothing can be sent. */
  send: 'turn' | 'nudge' | null;
  /** Whether a nudge may end what the turn waits for. */
  canWake: boolean;
  canCancel: boolean;
  /** Why nothing can be sent; null when something can. */
  reason: string | null;
}

const nudgesMax = 32;

/** What the bar under a transcript offers, by the state of the session and by what the key may do. */
export function composerState({ status, openTurns, mayUse, pendingNudges }: ComposerFacts): ComposerState {
  const isOpen = openTurns.length > 0;
  if (!mayUse) return nothing('This key may read the session only. To write it lacks svc.resource.use.');
  if (status !== 'active') return { ...nothing(inactiveText(status)), canCancel: isOpen };
  if (!isOpen) return { send: 'turn', canWake: false, canCancel: false, reason: null };
  if (pendingNudges >= nudgesMax)
    return { ...nothing(`${nudgesMax} nudges wait: no more fit before the turn takes one.`), canCancel: true };
  return { send: 'nudge', canWake: openTurns.includes('waiting'), canCancel: true, reason: null };
}

function inactiveText(status: 'archived' | 'deleted'): string {
  return status === 'archived' ? 'The session is archived. Make it active to go on.' : 'The session is deleted.';
}

function nothing(reason: string): ComposerState {
  return { send: null, canWake: false, canCancel: false, reason };
}
