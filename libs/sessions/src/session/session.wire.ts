import type { Schema } from '@aos/contract';
import { rfc3339, tokenReaches, type Identity, type JsonObject, type Viewer } from '@aos/kernel';
import type { Block, Row, TurnRecord } from './session.events.js';
import type { SessionState } from './session.state.js';

/** Ownership and audience as this caller sees them (rule A28). */
export function postureFor(state: SessionState, who: Identity): Schema<'ResourcePosture'> {
  const { owner, visibility } = present(state);
  if (owner.kind === 'team') return 'team';
  if (owner.id !== who.principalId) return 'someone_else';
  return visibility === 'organization' ? 'shared_by_you' : 'only_you';
}

/**
 * Within reach: the session is the organization's own, the caller owns it, or administers the organization (rule A28).
 * A browser token must reach it as well (rule A37). The agent's reach is checked apart.
 */
export function withinReach(state: SessionState, who: Viewer & Pick<Identity, 'actsFor'>): boolean {
  const { opening, status } = state;
  if (!opening || status === 'deleted' || opening.org_id !== who.orgId) return false;
  if (who.token && !tokenReaches(who.token, opening)) return false;
  if (who.actsFor && !withinReach(state, who.actsFor)) return false; // rule A33
  if (opening.visibility === 'organization') return true;
  return opening.owner.id === who.principalId || who.permissions.has('svc.org.admin');
}

/** When a bounded session ends, counted from its last message (rule S42); null: never. */
export function expiresAt(state: SessionState): string | null {
  const { retention, created_at } = present(state);
  if (retention?.mode !== 'bounded' || !retention.ttl_seconds) return null;
  return rfc3339(Date.parse(state.lastMessageAt ?? created_at) + retention.ttl_seconds * 1000);
}

export type SessionWireOptions = {
  /** Adds what only the single read shows (rule S19); the time decides whether a pass still counts as running. */
  single?: { now: number; thresholdTokens: number | null };
};

/** The contract's `Session`. */
export function sessionWire(
  state: SessionState,
  revision: number,
  who: Identity,
  options: SessionWireOptions = {},
): Schema<'Session'> {
  const opening = present(state);
  const wire: Schema<'Session'> = {
    id: opening.id,
    owner: opening.owner,
    agent_id: opening.agent_id,
    container: { kind: 'agent', id: opening.agent_id },
    title: state.title,
    status: state.status,
    origin: opening.origin,
    scope: 'agent',
    scope_ref_id: opening.agent_id,
    scope_name: opening.session_key,
    session_key: opening.session_key,
    visibility: opening.visibility,
    posture: postureFor(state, who),
    compaction_policy: state.compactionPolicy,
    message_count: state.messageCount,
    token_input_total: state.totals.input_tokens,
    token_output_total: state.totals.output_tokens,
    cache_read_input_total: state.totals.cache_read_input_tokens,
    cache_creation_input_total: state.totals.cache_creation_input_tokens,
    version: revision + 1,
    last_message_at: state.lastMessageAt,
    expires_at: expiresAt(state),
    created_by: opening.created_by,
    created_at: opening.created_at,
    updated_at: state.updatedAt,
  };
  if (opening.model_override) wire.model_override = opening.model_override;
  if (state.model) wire.model = state.model;
  if (state.modelProvider) wire.model_provider = state.modelProvider;
  if (opening.retention) wire.retention = opening.retention;
  if (state.thinkingEffort) wire.thinking_effort = state.thinkingEffort;
  if (state.metadata) wire.metadata = state.metadata;
  if (options.single) {
    wire.latest_compaction = state.summary;
    wire.compaction = compactionWire(state, options.single.now, options.single.thresholdTokens);
    const failure = passFailureAt(state, options.single.now);
    if (failure) wire.latest_compaction_failure = failure;
  }
  return wire;
}

/** A pass that did not end by its deadline has failed. */
function passFailureAt({ pass, passFailure }: SessionState, now: number): Schema<'SessionCompactionFailure'> | null {
  if (pass && now >= Date.parse(pass.deadline)) return { error_type: 'timeout', at: pass.deadline };
  return passFailure && { ...passFailure };
}

function compactionWire(
  state: SessionState,
  now: number,
  thresholdTokens: number | null,
): Schema<'SessionCompactionProgress'> {
  const { pass } = state;
  const running = pass !== null && now < Date.parse(pass.deadline);
  const wire: Schema<'SessionCompactionProgress'> = { in_progress: running };
  if (running) {
    wire.started_at = pass.started_at;
    wire.deadline = pass.deadline;
    wire.from_sequence = pass.from_sequence;
    wire.through_sequence = pass.through_sequence;
    wire.message_count = pass.message_count;
  }
  if (thresholdTokens !== null) wire.threshold_tokens = thresholdTokens;
  return wire;
}

/** What a row shows; its blocks and metadata as they were stored, whichever release wrote them. */
type StoredRow<Wire> = Omit<Wire, 'content' | 'metadata'> & { content: Block[]; metadata?: JsonObject };
export type MessageWire = StoredRow<Schema<'SessionMessage'>>;
export type TranscriptMessageWire = StoredRow<Schema<'SessionTranscriptMessage'>>;

/** The contract's `SessionMessage`. */
export function messageWire(row: Row, sessionId: string, agentId: string): MessageWire {
  const wire: MessageWire = {
    id: row.id,
    session_id: sessionId,
    agent_id: agentId,
    role: row.role,
    content: row.content,
    entry_type: row.entry_type,
    sequence: row.sequence,
    created_at: row.created_at,
  };
  if (row.covers_through_sequence !== undefined) wire.covers_through_sequence = row.covers_through_sequence;
  if (row.turn_id) wire.turn_id = row.turn_id;
  if (row.metadata) wire.metadata = row.metadata;
  return wire;
}

/** The contract's `SessionTranscriptMessage` of a committed row. */
export function transcriptMessageWire(row: Row, sessionId: string, agentId: string): TranscriptMessageWire {
  return {
    ...messageWire(row, sessionId, agentId),
    turn_id: row.turn_id,
    status: 'final',
    turn_index: row.turn_index,
    covers_through_sequence: row.covers_through_sequence ?? null,
  };
}

/** The contract's `AgentTurn`; stored in wire form. */
export function turnWire(turn: TurnRecord): Schema<'AgentTurn'> {
  return turn;
}

function present(state: SessionState) {
  if (!state.opening) throw new Error('session was never opened');
  return state.opening;
}
