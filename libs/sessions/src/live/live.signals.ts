import { Channel, type JsonObject } from '@aos/kernel';
import type { Block, CompactionPass } from '../session/session.events.js';

/**
 * Signals of a session's progress between appends. They are sent on the live bus and never stored; losing one does no
 * harm.
 *
 * `live_sequence` grows per turn with each signal. Text grows by `delta` at `offset` (UTF-16 units of the block so
 * far): a reader with a shorter text missed a signal and reads the preview; a reader with a longer text skips the part
 * it has.
 */
export type LiveSignal = { turn_id: string | null; live_sequence: number; emitted_at: string } & (
  | { type: 'row_started'; message_id: string; turn_index: number; created_at: string; model: string }
  | { type: 'block_opened'; message_id: string; turn_index: number; content_index: number; block: Block }
  | {
      type: 'delta';
      message_id: string;
      turn_index: number;
      content_index: number;
      offset: number;
      text?: string;
      thinking?: string;
      delta_sequence: number;
      model: string;
    }
  | { type: 'block_closed'; message_id: string; turn_index: number; content_index: number; block: Block }
  /** The call is tried again: what was shown of the row does not count. */
  | { type: 'row_discarded'; message_id: string; turn_index: number }
  | {
      type: 'tool_call';
      message_id: string;
      content_index: number;
      tool_call_id: string;
      tool_name: string;
      input?: JsonObject;
      resolved_action?: { name: string; input: JsonObject };
      progress?: JsonObject | null;
      /** When it was reported, in milliseconds since 1970: several processes may say what was reported of one call. */
      reported_at?: number;
    }
  | {
      type: 'tool_result';
      message_id: string;
      content_index: number;
      tool_call_id: string;
      tool_name: string;
      content: Block[];
      is_error: boolean;
      status: string;
    }
  | { type: 'compaction_started'; pass: CompactionPass }
  | { type: 'compaction_failed'; pass: CompactionPass; error_type: string; error_message: string }
);

const sequencesPerMs = 1000;

/**
 * `live_sequence` is made of time, so that it grows over a turn's runners, jobs and waits although none of them knows
 * the others.
 *
 * Takes    a wall clock in milliseconds, and whether what is numbered stands before or behind everything else of that
 *          moment.
 */
export function liveSequenceAt(ms: number, edge: 'first' | 'last'): number {
  return ms * sequencesPerMs + (edge === 'first' ? 0 : sequencesPerMs - 1);
}

/** The live bus channel of each session. */
export const liveChannel = new Channel<LiveSignal>((sessionId) => `live:${sessionId}`);

/**
 * The preview of a session: one field per turn (`turn_id`), each a `LivePreview` as JSON; dropped when the turn commits
 * or ends.
 */
export function previewKey(sessionId: string): string {
  return `preview:${sessionId}`;
}

/** The streaming row so far, for late joiners; written at the first signal and then at most every `previewEveryMs`. */
export type LivePreview = {
  turn_id: string;
  message_id: string;
  turn_index: number;
  created_at: string;
  model: string;
  content: Block[];
  last_live_sequence: number;
  updated_at: string;
};

export const previewEveryMs = 200;
export const previewTtlMs = 600_000;

/**
 * The newest progress of a session's calls: one field per delivery and process that says it, each a `tool_call` signal
 * as JSON; dropped when the call ends.
 */
export function progressKey(sessionId: string): string {
  return `progress:${sessionId}`;
}

/** How often and how large the progress of one call is shown (rule TE80). */
export const progressEveryMs = 250;
export const progressBytesMax = 4096;

/** Says that somewhere the session is followed; ends by itself when it is not renewed (rule TP30). */
export function watchKey(sessionId: string): string {
  return `watch:${sessionId}`;
}

export const watchTtlMs = 30_000;
export const watchRenewMs = 10_000;
/** How often a run that shows something looks for the key. */
export const watchLookMs = 1_000;
/** The one field of `watchKey`. */
export const watchedHere = 'watched';
/** Published where the session's new revisions are, when a viewer comes. */
export const watchedWord = 'watched';
