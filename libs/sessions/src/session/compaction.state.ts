import type { CompactionPass } from './session.events.js';
import type { SessionState } from './session.state.js';

/** A pass before it that never ended ran out of its time: a pass begins only when none runs. */
export function passStarted(state: SessionState, pass: CompactionPass): SessionState {
  if (state.pass) state.passFailure = { error_type: 'timeout', at: state.pass.deadline };
  state.pass = pass;
  return state;
}

/** What a turn knows of its failed pass keeps it from trying again too soon (rule S48). */
export function passFailed(
  state: SessionState,
  { pass, error_type, at }: { pass: CompactionPass; error_type: string; at: string },
): SessionState {
  state.pass = null;
  state.passFailure = { error_type, at };
  const open = state.open.get(pass.turn_id ?? '');
  if (open) open.failedPassTokens = pass.estimated_tokens;
  return state;
}
