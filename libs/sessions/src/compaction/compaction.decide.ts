import { Refusal, notFound } from '@aos/kernel';
import { rowOutsideTurnsId } from '../session/session.ids.js';
import { contextRow, type ContextItem } from '../turn/context.decide.js';
import type { CompactionPass, SessionEvent, SessionOpening, Usage } from '../session/session.events.js';
import type { SessionState } from '../session/session.state.js';
import { passRange, type SeenRow } from './pass-range.decide.js';

/** Context values that a pass records again, the newest: 4 MiB at most. A bound of ours. */
export const contextAgainMax = 512;

export interface StartPass {
  trigger: CompactionPass['trigger'];
  /** The turn that sets it off, under the claim of its runner; null when none does. */
  claim: { turnId: string; epoch: number } | null;
  /** Milliseconds since 1970. */
  now: number;
  startedAt: string;
  deadline: string;
  estimatedTokens: number;
  /** The threshold that the estimate is over; null for a manual pass. */
  thresholdTokens: number | null;
  summaryModel: string;
  /** The rows of the window, and the session's highest sequence when they were read. */
  seen: readonly SeenRow[];
  seenThrough: number;
}

/**
 * Begins a pass over what may be summed up.
 *
 * Gives    `CompactionStarted`; nothing when there is nothing to sum up, or an automatic pass finds one running, its
 *          turn claimed by another or the session gone. Nothing either when rows were added since the window was read:
 *          the caller reads it again.
 * Refuses  for a manual pass: not_found, compaction_disabled, compaction_in_progress.
 * Source   rules CMP8, CMP9, S20, S21, S22, S23, S48.
 */
export function startPass(command: StartPass, session: SessionState): SessionEvent[] {
  const manual = command.trigger === 'manual';
  if (!session.opening || session.status === 'deleted') {
    if (manual) throw notFound('session');
    return []; // deleted under the hands of its turn
  }
  if (command.claim && !isHeld(session, command.claim)) return [];
  if (session.compactionPolicy.strategy === 'disabled') {
    if (manual) throw new Refusal('compaction_disabled', {}, 'the session is never compacted');
    return [];
  }
  if (runningPass(session, command.now)) {
    if (manual) throw new Refusal('compaction_in_progress', {}, 'a pass runs already');
    return [];
  }
  if (session.sequence !== command.seenThrough) return [];
  const range = passRange(session, command.seen, excessOf(command));
  if (!range) return [];
  const pass: CompactionPass = {
    trigger: command.trigger,
    turn_id: command.claim?.turnId ?? null,
    started_at: command.startedAt,
    deadline: command.deadline,
    from_sequence: range.from,
    through_sequence: range.through,
    message_count: range.count,
    estimated_tokens: command.estimatedTokens,
    summary_model: command.summaryModel,
    ...(range.keeps.length > 0 ? { keeps: range.keeps } : {}),
  };
  return [{ type: 'CompactionStarted', data: { pass } }];
}

/** Between turns the usual range is enough where there is one: the next model call goes further if it must. */
function excessOf({ trigger, estimatedTokens, thresholdTokens }: StartPass): number | null {
  if (thresholdTokens === null) return null;
  return trigger === 'auto' ? estimatedTokens - thresholdTokens : 0;
}

function isHeld(session: SessionState, { turnId, epoch }: { turnId: string; epoch: number }): boolean {
  const open = session.open.get(turnId);
  return open?.turn.status === 'running' && open.epoch === epoch;
}

/** The pass that counts as running: started, not ended, before its deadline. A crash clears itself. */
export function runningPass(session: SessionState, now: number): CompactionPass | null {
  return session.pass && now < Date.parse(session.pass.deadline) ? session.pass : null;
}

/**
 * Commits the summary of a pass as a row of its own; nothing when the pass is not the running one any more (late, or
 * failed meanwhile). The row belongs to the turn that brought it about as long as that is open: a final turn gets no
 * more rows.
 */
export function finishPass(
  command: {
    pass: CompactionPass;
    text: string;
    usage: Usage;
    now: number;
    at: string;
    context: readonly ContextItem[];
  },
  session: SessionState,
): SessionEvent[] {
  if (!isCurrent(session, command.pass, command.now)) return [];
  const opening = session.opening as SessionOpening;
  const sequence = session.sequence + 1;
  const turn = command.pass.turn_id !== null && session.open.has(command.pass.turn_id) ? command.pass.turn_id : null;
  const summarised: SessionEvent = {
    type: 'TranscriptSummarised',
    data: {
      pass: command.pass,
      usage: command.usage,
      row: {
        id: rowOutsideTurnsId(opening.id, sequence),
        role: 'compaction',
        entry_type: 'compaction',
        content: [{ type: 'text', text: command.text }],
        sequence,
        turn_id: turn,
        turn_index: null,
        covers_through_sequence: command.pass.through_sequence,
        created_at: command.at,
      },
    },
  };
  return [summarised, ...contextAgain(command, session, turn, sequence)];
}

/**
 * The newest values that the summary covers, recorded again behind it: a value stays in force until another is given
 * (rule S48).
 */
function contextAgain(
  command: { pass: CompactionPass; at: string; context: readonly ContextItem[] },
  session: SessionState,
  turn: string | null,
  after: number,
): SessionEvent[] {
  const opening = session.opening as SessionOpening;
  const recordedAt = ({ name }: ContextItem) => session.context.get(name)?.sequence ?? 0;
  const inForce = command.context.filter(
    (item) =>
      session.context.get(item.name)?.digest === item.digest && recordedAt(item) <= command.pass.through_sequence,
  );
  const newest = inForce.sort((a, b) => recordedAt(a) - recordedAt(b)).slice(-contextAgainMax);
  return newest.map((item, index): SessionEvent => ({
    type: 'ContextRecorded',
    data: {
      row: contextRow(opening.id, after + 1 + index, turn, item, command.at),
      name: item.name,
      digest: item.digest,
    },
  }));
}

/** Ends a pass without a summary: the transcript stays as it was. Nothing when it is not the running one. */
export function failPass(
  command: { pass: CompactionPass; errorType: string; message: string; at: string },
  session: SessionState,
): SessionEvent[] {
  if (session.pass?.started_at !== command.pass.started_at || session.status === 'deleted') return [];
  return [
    {
      type: 'CompactionFailed',
      data: { pass: command.pass, error_type: command.errorType, error_message: command.message, at: command.at },
    },
  ];
}

function isCurrent(session: SessionState, pass: CompactionPass, now: number): boolean {
  return (
    session.status !== 'deleted' && session.pass?.started_at === pass.started_at && now < Date.parse(pass.deadline)
  );
}
