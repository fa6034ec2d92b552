import type { DeciderEntry } from '@aos/kernel';
import type { SessionEvent } from '../session/session.events.js';
import type { SessionState } from '../session/session.state.js';

/** What each command under a claim names. */
export interface Claimed {
  turnId: string;
  epoch: number;
  now: string;
}

/** An entry of the session's decider whose command names the claim. Refuses with `TurnLost` when the claim is void. */
export type ClaimedEntry<Command extends Claimed> = DeciderEntry<SessionState, SessionEvent, Command>;

/** Appends under the claim of a run, unless the run must end. */
export type ClaimCommit = <Command extends Claimed>(
  entry: ClaimedEntry<Command>,
  command: Omit<Command, keyof Claimed>,
) => Promise<readonly SessionEvent[]>;
