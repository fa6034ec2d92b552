import type { CompactionPass } from './session.events.js';

/** The part of a session's state that passes change. */
interface PassState {
  pass: CompactionPass | null;
  passFailure: { error_type: string; at: string } | null;
  open: ReadonlyMap<string, { failedPassTokens?: number }>;
}

/** A pass before it that never ended ran out of its time: a pass begins only when none runs. */
export function passStarted<State extends PassState>(state: State, pass: CompactionPass): State {
  if (state.pass) state.passFailure = { error_type: 'timeout', at: state.pass.deadline };
  state.pass = pass;
  return state;
}

/** Records a failed pass in its turn, so that the turn does not try again too soon (rule S48). */
export function passFailed<State extends PassState>(
  state: State,
  { pass, error_type, at }: { pass: CompactionPass; error_type: string; at: string },
): State {
  state.pass = null;
  state.passFailure = { error_type, at };
  const open = state.open.get(pass.turn_id ?? '');
  if (open) open.failedPassTokens = pass.estimated_tokens;
  return state;
}
