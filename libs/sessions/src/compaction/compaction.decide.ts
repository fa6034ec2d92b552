import { Refusal, notFound } from '@aos/kernel';
import { looseRowId } from '../session/session.ids.js';
import { contextRow, type ContextItem } from '../turns/context.decide.js';
import type { CompactionPass, SessionEvent, SessionOpening, Usage } from '../session/session.events.js';
import type { SessionState } from '../session/session.state.js';

export interface StartPass {
  trigger: CompactionPass['trigger'];
  /** The turn that sets it off, under the claim of its runner; null when none does. */
  claim: { turnId: string; epoch: number } | null;
  /** Milliseconds since 1970. */
  now: number;
  startedAt: string;
  deadline: string;
  estimatedTokens: number;
  summaryModel: string;
}

/**
 * Begins a pass over what may be summed up.
 *
 * Gives    `CompactionStarted`; nothing when there is nothing to sum up, or an automatic pass finds one running, its turn claimed by another or the
 *          session gone.
 * Refuses  for a manual pass: not_found, compaction_disabled, compaction_in_progress.
 * Source   specification, Compaction; decisions S20 to S23.
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
  const range = compactable(session);
  if (!range) return [];
  const pass: CompactionPass = {
    trigger: command.trigger, turn_id: command.claim?.turnId ?? null, started_at: command.startedAt, deadline: command.deadline, from_sequence: range.from, through_sequence: range.through,
    message_count: range.through - range.from + 1, estimated_tokens: command.estimatedTokens, summary_model: command.summaryModel,
  };
  return [{ type: 'CompactionStarted', data: { pass } }];
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
 * Rows after the last summary up to the last row of the newest final turn but one, short of anything that is still open: a turn's rows, or the
 * place where an open question was asked (decision S23).
 */
export function compactable(session: SessionState): { from: number; through: number } | null {
  const from = (session.summary?.covers_through_sequence ?? 0) + 1;
  let through = session.finalRows.length < 2 ? 0 : (session.finalRows[0] ?? 0);
  for (const open of session.open.values()) through = Math.min(through, open.firstSequence - 1);
  for (const asked of session.askedAt.values()) through = Math.min(through, asked - 1);
  return through >= from ? { from, through } : null;
}

/**
 * Commits the summary of a pass as a row of its own; nothing when the pass is not the running one any more (late, or failed meanwhile). The row
 * belongs to the turn that brought it about as long as that is open: a final turn gets no more rows.
 */
export function finishPass(
  command: { pass: CompactionPass; text: string; usage: Usage; now: number; at: string; context: readonly ContextItem[] }, session: SessionState,
): SessionEvent[] {
  if (!isCurrent(session, command.pass, command.now)) return [];
  const opening = session.opening as SessionOpening;
  const sequence = session.sequence + 1;
  const turn = command.pass.turn_id !== null && session.open.has(command.pass.turn_id) ? command.pass.turn_id : null;
  const summarised: SessionEvent = {
    type: 'TranscriptSummarised',
    data: {
      pass: command.pass, usage: command.usage,
      row: {
        id: looseRowId(opening.id, sequence), role: 'compaction', entry_type: 'compaction', content: [{ type: 'text', text: command.text }], sequence, turn_id: turn,
        turn_index: null, covers_through_sequence: command.pass.through_sequence, created_at: command.at,
      },
    },
  };
  return [summarised, ...(turn === null ? [] : contextAgain(command, session, turn, sequence))];
}

/**
 * A turn that set a pass off goes on with the context it was started with: values that the summary covers are entered again. Without an open turn
 * that is the next invocation's business (specification, Agent invocation rule 4).
 */
function contextAgain(command: { pass: CompactionPass; at: string; context: readonly ContextItem[] }, session: SessionState, turn: string, after: number): SessionEvent[] {
  const opening = session.opening as SessionOpening;
  let sequence = after;
  return command.context.flatMap((item): SessionEvent[] => {
    const known = session.context.get(item.name);
    if (!known || known.digest !== item.digest || known.sequence > command.pass.through_sequence) return [];
    sequence += 1;
    return [{ type: 'ContextRecorded', data: { row: contextRow(opening.id, sequence, turn, item, command.at), name: item.name, digest: item.digest } }];
  });
}

/** Ends a pass without a summary: the transcript stays as it was. Nothing when it is not the running one. */
export function failPass(command: { pass: CompactionPass; errorType: string; message: string; at: string }, session: SessionState): SessionEvent[] {
  if (session.pass?.started_at !== command.pass.started_at || session.status === 'deleted') return [];
  return [{ type: 'CompactionFailed', data: { pass: command.pass, error_type: command.errorType, error_message: command.message, at: command.at } }];
}

function isCurrent(session: SessionState, pass: CompactionPass, now: number): boolean {
  return session.status !== 'deleted' && session.pass?.started_at === pass.started_at && now < Date.parse(pass.deadline);
}
