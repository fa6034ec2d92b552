import { unreachable, type StreamKind } from '@aos/kernel';
import * as compaction from './compaction.state.js';
import * as context from './context.state.js';
import * as interactions from './interactions.state.js';
import * as nudges from './nudges.state.js';
import { sessionEvents, type SessionEvent } from './session.events.js';
import { snapshotEvery } from './session.limits.js';
import * as settings from './settings.state.js';
import * as transcript from './transcript.state.js';
import * as turns from './turns.state.js';

export { openDirectTurn, type OpenTurn, type PendingCall } from './turns.state.js';

/** All slices side by side. Each is folded by the file that declares it. */
export interface SessionState
  extends
    settings.SettingsState,
    transcript.TranscriptState,
    turns.TurnsState,
    nudges.NudgesState,
    context.ContextState,
    compaction.CompactionState,
    interactions.InteractionsState {}

const initial: SessionState = {
  ...settings.initialSettings,
  ...transcript.initialTranscript,
  ...turns.initialTurns,
  ...nudges.initialNudges,
  ...context.initialContext,
  ...compaction.initialCompaction,
  ...interactions.initialInteractions,
};

export const sessionKind: StreamKind<SessionState, SessionEvent> = {
  category: 'session',
  events: sessionEvents,
  stateVersion: 3,
  snapshotEvery,
  notifies: true,
  initial: () => initial,
  evolve: (state, event, revision) => ({ ...state, ...changed(state, event, revision) }),
};

/** The members that an event changes, slice by slice. */
function changed(state: SessionState, event: SessionEvent, revision: number): Partial<SessionState> {
  switch (event.type) {
    case 'SessionOpened':
      return settings.opened(event.data.session);
    case 'TitleChanged':
      return { title: event.data.title, updatedAt: event.data.at };
    case 'MetadataReplaced':
      return { metadata: event.data.metadata, updatedAt: event.data.at };
    case 'CompactionPolicyChanged':
      return { compactionPolicy: event.data.compaction_policy, updatedAt: event.data.at };
    case 'ThinkingEffortChanged':
      return { thinkingEffort: event.data.thinking_effort, updatedAt: event.data.at };
    case 'CustodyChanged':
      return { ...settings.custodyChanged(state, event.data), updatedAt: event.data.at };
    case 'SessionArchived':
      return { status: 'archived', updatedAt: event.data.at };
    case 'SessionReactivated':
      return { status: 'active', updatedAt: event.data.at };
    case 'SessionDeleted':
      return { status: 'deleted', updatedAt: event.data.at };
    case 'MessageAppended':
      return rowAppended(state, event.data.row, revision);
    case 'ContextRecorded':
      return { ...context.contextRecorded(state, event.data), ...rowAppended(state, event.data.row, revision) };
    case 'CountersAdded':
      return transcript.countersAdded(state, event.data);
    case 'TranscriptSummarised':
      return summarised(state, event.data, revision);
    case 'CompactionStarted':
      return compaction.passStarted(state, event.data.pass);
    case 'CompactionFailed':
      return { ...compaction.passFailed(event.data), ...turns.turnPassFailed(state, event.data.pass) };
    case 'NudgeQueued':
      return { ...nudges.nudgeQueued(state, event.data, revision), updatedAt: event.data.nudge.created_at };
    case 'NudgeRetargeted':
      return nudges.nudgeRetargeted(state, event.data.nudge, revision);
    case 'NudgeDelivered':
    case 'NudgeCancelled':
      return nudges.nudgeSettled(state, event.data.nudge, revision);
    case 'OutcomeReceived':
      return interactions.outcomeReceived(state, event.data);
    case 'OutcomeDelivered':
      return interactions.outcomeDelivered(state, event.data.delivery_id);
    case 'InteractionMirrored':
      return interactions.mirrored(state, event.data);
    default:
      return turnChanged(state, event, revision);
  }
}

/** As `changed`, for events of turns. */
function turnChanged(
  state: SessionState,
  event: Extract<SessionEvent, { type: `T${'urn' | 'ool'}${string}` | 'ModelAnswered' }>,
  revision: number,
): Partial<SessionState> {
  switch (event.type) {
    case 'TurnQueued':
      return { ...turns.queued(state, event.data, revision), updatedAt: event.data.turn.created_at };
    case 'TurnClaimed': {
      const isRenewal = event.data.active_ms !== undefined;
      return { ...turns.claimed(state, event.data), ...(isRenewal ? {} : { updatedAt: event.data.turn.updated_at }) };
    }
    case 'TurnRequeued':
      return {
        ...turns.requeued(state, event.data),
        ...compaction.passAbandoned(state, event.data.turn.id),
        updatedAt: event.data.turn.updated_at,
      };
    case 'ModelAnswered':
      return {
        ...turns.answered(state, event.data),
        ...transcript.usageAdded(state, event.data.usage),
        model: event.data.model,
        modelProvider: event.data.provider,
      };
    case 'ToolCallsRequested':
      return turns.callsRequested(state, event.data.turn_id, event.data.calls);
    case 'ToolCallFinished':
      return turns.callFinished(state, event.data.turn_id, event.data.outcome);
    case 'ToolJobStarted':
    case 'ToolJobDeferred':
      return turns.jobStarted(state, event.data);
    case 'TurnParked':
      return { ...turns.parked(state, event.data), updatedAt: event.data.turn.updated_at };
    case 'TurnResumed':
      return { ...turns.resumed(state, event.data.turn), updatedAt: event.data.turn.updated_at };
    case 'TurnCompleted':
    case 'TurnFailed':
    case 'TurnCancelled':
      return { ...turns.ended(state, event.data.turn, revision), updatedAt: event.data.turn.updated_at };
    default:
      return unreachable(event);
  }
}

function rowAppended(
  state: SessionState,
  row: Extract<SessionEvent, { type: 'MessageAppended' }>['data']['row'],
  revision: number,
): Partial<SessionState> {
  return { ...transcript.rowAdded(state, row, revision), ...turns.turnRowAdded(state, row) };
}

function summarised(
  state: SessionState,
  { pass, row, usage }: Extract<SessionEvent, { type: 'TranscriptSummarised' }>['data'],
  revision: number,
): Partial<SessionState> {
  const turn = turns.turnSummarised(state, row.turn_id, usage);
  return {
    ...compaction.summarised(pass, row),
    ...context.contextCovered(state, row.covers_through_sequence ?? 0),
    ...transcript.usageAdded(state, usage),
    ...turn,
    ...rowAppended({ ...state, ...turn }, row, revision),
  };
}
