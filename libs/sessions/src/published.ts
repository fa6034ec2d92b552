export { SessionAdministrationModule } from './administration.module.js';
export { SessionsReadingModule } from './sessions-reading.module.js';
export { SessionsModule } from './sessions.module.js';
export { sessionKind, openDirectTurn, type OpenTurn, type SessionState } from './session/session.state.js';
export {
  sessionEvents,
  type Block,
  type CompactionPass,
  type NudgeRecord,
  type Row,
  type SessionEvent,
  type SessionOpening,
  type TurnRecord,
  type TurnStatus,
  type Usage,
} from './session/session.events.js';
export {
  messageWire,
  sessionWire,
  transcriptMessageWire,
  turnWire,
  withinReach,
  expiresAt,
} from './session/session.wire.js';
export { isExpired } from './session/lifecycle.decide.js';
export { parseSessionPart, turnId, turnRowId } from './session/session.ids.js';
export {
  liveChannel,
  liveSequenceAt,
  previewKey,
  previewEveryMs,
  previewTtlMs,
  progressBytesMax,
  progressEveryMs,
  progressKey,
  watchKey,
  type LivePreview,
  type LiveSignal,
} from './live/live.signals.js';
export { SessionWatches, type Announcement } from './live/session-watches.js';
export { CallProgress, isProgressSmall } from './live/call-progress.js';
export { PacedNewest } from './live/paced-newest.js';
export { SessionCursors } from './reading/session-cursors.js';
export { InlineStreams, type InlineStream } from './turns/inline-streams.js';
export { SessionDirectory } from './reading/session-directory.js';
export { AgentSessions, type SharedSession } from './reading/agent-sessions.js';
export { ChangeSessionCustody } from './custody/custody.commands.js';
export { PresentSessions } from './reading/present-sessions.js';
export { TurnReader } from './reading/turn-reader.js';
export { CallOutcomes, withCallStatus, type EventReader } from './reading/call-outcomes.js';
export {
  TranscriptRows,
  rowOf,
  revisionBefore,
  type RowAt,
  type RowFilter,
  type RowPage,
} from './reading/transcript-rows.js';
export { TranscriptFragments } from './fragments/transcript-fragments.js';
export { endsOf } from './fragments/session-fragments.js';
export { settledCalls } from './fragments/settled-calls.js';
export { transcriptText, type RowFragment } from './fragments/row-fragment.js';
export type { TurnFragment } from './fragments/transcript-chunk.js';
export { InteractionMirror } from './outcomes/interaction-mirror.js';
export { SessionOutcomes } from './outcomes/session-outcomes.js';
export type { InteractionWire } from './outcomes/outcomes.decide.js';
export type { OutcomeRecord } from './session/session.events.js';
export { CallJobs } from './calls/call-jobs.js';
export { isOutOfTime } from './running/turn-failure.js';
export { WorkerModels, type ModelCaller } from './model/model-routes.js';
export { FileMedia, type MediaFile } from './turn/file-media.js';
export { typeOfBytes } from './turn/media-types.js';
export { actingPrincipal } from './turn/turn-principal.js';
export { DeferredCalls, type DeferredCall } from './calls/deferred-calls.js';
export {
  Toolbox,
  type CallResult,
  type Deferred,
  type Dispatched,
  type ReportProgress,
  type ToolContext,
} from './calls/toolbox.js';
export type { ToolCall, ToolOutcome, TurnWait } from './session/session.events.js';
export { isRunSessionKey } from './routine-turns/routine-turns.decide.js';
export { ChannelTurns, type ChannelAnswer, type ChannelTurn } from './channel-turns/channel-turns.js';
export { RoutineTurns, type RoutineTurn, type StartedTurn } from './routine-turns/routine-turns.js';
