import type { SessionCursors } from '@aos/sessions/published';
import { encodeFrame, frame, type EncodedFrame, type Frame, type SessionNames } from '../frames/encoded.frames.js';
import { durableFramesV2, endFrame, liveFramesV2, readyFrame, streamingRowWire } from '../frames/v2.frames.js';
import { eventFramesV1, liveFramesV1, previewFrame, resyncFrame, turnFrame } from '../frames/v1.frames.js';
import type { CallPositions } from '../frames/tool-status.frames.js';
import type { ToolCallSignal } from './live-progress.js';
import type { LiveChange, LiveRow } from '../frames/live-row.frames.js';
import type { SessionEventAt } from './session-log.js';
import type { SessionFacts } from './session-facts.js';

/** A durable frame with what decides whether history shows it. */
export interface EventFrame extends EncodedFrame {
  /** Shown to those who catch up; else only to those who were there. */
  replayed: boolean;
}

/** What is live as a viewer joins. */
export interface LiveNow {
  facts: SessionFacts;
  rows: readonly LiveRow[];
  /** The newest progress of open calls. */
  progress: readonly ToolCallSignal[];
  calls: CallPositions;
}

/** How a session is written in one of the two stream protocols. Everything it gives is encoded once and shared. */
export interface Protocol {
  readonly name: 'v1' | 'v2';
  events(event: SessionEventAt, names: SessionNames, calls: CallPositions): EventFrame[];
  live(change: LiveChange, names: SessionNames, calls: CallPositions): EncodedFrame[];
  /** Between history and live, as of a revision. */
  join(names: SessionNames, live: LiveNow, head: number): EncodedFrame[];
  idle(names: SessionNames): EncodedFrame;
  overflow(names: SessionNames): { frame: EncodedFrame; ends: boolean };
}

/** Numbered rows, id-less turns; an open turn's record comes when history is sent (rules F3, F4, F5, F6). */
export const protocolV1: Protocol = {
  name: 'v1',
  events: (event, names) =>
    eventFramesV1(event, names).map((one) => ({
      ...encodeFrame(one, one.kind === 'row' ? String(one.sequence) : undefined),
      replayed: one.kind === 'row' || one.kind === 'final',
    })),
  live: (change, names) => liveFramesV1(change, names).map((one) => encodeFrame(one)),
  join: (names, { facts, rows, progress }) => [
    ...[...facts.open.values()].map(({ turn }) => encodeFrame(turnFrame(turn))),
    ...rows.filter(({ content }) => content.length > 0).map((row) => encodeFrame(previewFrame(row, names))),
    ...progress.flatMap((signal) => liveFramesV1({ type: 'tool_call', signal }, names)).map((one) => encodeFrame(one)),
  ],
  idle: ({ sessionId }) => encodeFrame(endFrame(sessionId, 'idle')),
  overflow: ({ sessionId }) => ({ frame: encodeFrame(resyncFrame(sessionId)), ends: false }),
};

/** Whole records under opaque cursors (rules F15, F16, F17, F18). */
export function protocolV2(cursors: SessionCursors): Protocol {
  return {
    name: 'v2',
    events: (event, names, calls) =>
      encodeAtRevision(durableFramesV2(event, names, calls), event.revision, names, cursors),
    live: (change, names, calls) => liveFramesV2(change, names, calls).map((one) => encodeFrame(one)),
    join: (names, { rows, progress, calls }, head) => [
      ...rows.map((row) => encodeFrame(frame('message.upsert', streamingRowWire(row, names)))),
      ...progress
        .flatMap((signal) => liveFramesV2({ type: 'tool_call', signal }, names, calls))
        .map((one) => encodeFrame(one)),
      encodeFrame(readyFrame(names, cursors.seal(names.orgId, names.sessionId, head))),
    ],
    idle: ({ sessionId }) => encodeFrame(endFrame(sessionId, 'idle')),
    overflow: ({ sessionId }) => ({ frame: encodeFrame(endFrame(sessionId, 'rotate')), ends: true }),
  };
}

/**
 * The last frame of a revision carries its cursor; those before it stand right behind the revision before, so that a
 * reader who resumes there gets them all.
 */
function encodeAtRevision(
  frames: readonly Frame[],
  revision: number,
  { orgId, sessionId }: SessionNames,
  cursors: SessionCursors,
): EventFrame[] {
  return frames.map((one, index) => {
    const stands = index === frames.length - 1 ? revision : revision - 1;
    return { ...encodeFrame(one, cursors.seal(orgId, sessionId, stands)), replayed: true };
  });
}
