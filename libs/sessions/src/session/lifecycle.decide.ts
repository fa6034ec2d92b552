import type { Schema } from '@aos/contract';
import { Refusal, badRequest, canonicalJson, notFound, rfc3339, type JsonObject } from '@aos/kernel';
import type { CompactionPolicy, SessionEvent, SessionOpening } from './session.events.js';
import { openDirectTurn, type SessionState } from './session.state.js';
import { expiresAt } from './session.wire.js';

/** Opens a session on an empty stream; an archived one that is resolved comes back (rule S6); else nothing. */
export function openSession(
  command: { open: SessionOpening | null; wasAbsent?: boolean; now: string; reactivates: boolean; agentStatus: string },
  session: SessionState,
): SessionEvent[] {
  if (session.opening) {
    if (session.status === 'deleted') throw notFound('session');
    if (command.wasAbsent) throw openedMeanwhile();
    return session.status === 'archived' && command.reactivates
      ? [{ type: 'SessionReactivated', data: { at: command.now } }]
      : [];
  }
  if (!command.open) throw notFound('session');
  if (command.agentStatus !== 'active') throw new Refusal('agent_inactive', {}, 'the agent is inactive');
  return [{ type: 'SessionOpened', data: { session: command.open } }];
}

/** Another caller opened it under the key since it was looked for: who may join is asked again (rules S4, S47). */
export function openedMeanwhile(): Refusal {
  return new Refusal('session_key_conflict', {}, 'a live session holds this key');
}

export type PolicyInput = Schema<'SessionCompactionPolicy'>;

/**
 * Lays policies over one another, later ones win field by field; `threshold` and `threshold_tokens` drive each other
 * out.
 *
 * Source   rules S10, S15, S16: server default, agent, messaging binding, request.
 */
export function resolvePolicy(layers: readonly (PolicyInput | undefined)[]): CompactionPolicy {
  let policy: CompactionPolicy = { strategy: 'auto', threshold: 'sm' };
  for (const layer of layers) {
    if (!layer) continue;
    if (layer.threshold !== undefined && layer.threshold_tokens !== undefined) {
      throw badRequest([{ path: '/compaction_policy', message: 'send threshold or threshold_tokens, not both' }]);
    }
    const next: CompactionPolicy = { ...policy };
    if (layer.strategy !== undefined) next.strategy = layer.strategy === 'none' ? 'disabled' : layer.strategy;
    if (layer.threshold !== undefined) {
      next.threshold = layer.threshold;
      delete next.threshold_tokens;
    }
    if (layer.threshold_tokens !== undefined) {
      next.threshold_tokens = layer.threshold_tokens;
      delete next.threshold;
    }
    if (layer.summary_model !== undefined) next.summary_model = layer.summary_model;
    policy = next;
  }
  return policy;
}

export interface ChangeSession {
  now: string;
  title?: string;
  status?: Schema<'SessionStatus'>;
  compactionPolicy?: PolicyInput;
  thinkingEffort?: Schema<'ThinkingEffort'>;
  metadata?: JsonObject;
}

/**
 * Changes what may change after opening: one event for each fact that differs.
 *
 * Refuses  bad_request for `status: deleted` (that is what DELETE is for); session_turn_active when archiving under an
 *          open direct turn.
 * Source   rule S10.
 */
export function changeSession(command: ChangeSession, session: SessionState): SessionEvent[] {
  const { now } = command;
  if (!session.opening || session.status === 'deleted') throw notFound('session');
  if (command.status === 'deleted') throw badRequest([{ path: '/status', message: 'a session is deleted by DELETE' }]);
  const events: SessionEvent[] = [];
  if (command.title !== undefined && command.title !== session.title)
    events.push({ type: 'TitleChanged', data: { title: command.title, at: now } });
  if (command.metadata !== undefined && canonicalJson(command.metadata) !== canonicalJson(session.metadata)) {
    events.push({ type: 'MetadataReplaced', data: { metadata: command.metadata, at: now } });
  }
  if (command.compactionPolicy) {
    const policy = resolvePolicy([session.compactionPolicy, command.compactionPolicy]);
    if (canonicalJson(policy) !== canonicalJson(session.compactionPolicy)) {
      events.push({ type: 'CompactionPolicyChanged', data: { compaction_policy: policy, at: now } });
    }
  }
  if (command.thinkingEffort !== undefined) {
    const effort = command.thinkingEffort === 'inherit' ? null : command.thinkingEffort;
    if (effort !== session.thinkingEffort)
      events.push({ type: 'ThinkingEffortChanged', data: { thinking_effort: effort, at: now } });
  }
  if (command.status === 'archived' && session.status === 'active') {
    refuseOpenTurn(session);
    events.push({ type: 'SessionArchived', data: { at: now } });
  }
  if (command.status === 'active' && session.status === 'archived')
    events.push({ type: 'SessionReactivated', data: { at: now } });
  return events;
}

/**
 * Leaves a tombstone (rule S40). Refuses session_turn_active while any turn is open; nothing when it is gone already is
 * for the caller's 404.
 */
export function deleteSession(command: { now: string }, session: SessionState): SessionEvent[] {
  if (!session.opening || session.status === 'deleted') throw notFound('session');
  refuseOpenTurn(session);
  return [{ type: 'SessionDeleted', data: { at: command.now } }];
}

/** Makes the end of a bounded session a fact when its time is past; nothing before, and nothing twice (rule S42). */
export function expireSession(command: { now: number }, session: SessionState): SessionEvent[] {
  if (session.status === 'deleted' || !isExpired(session, command.now)) return [];
  return deleteSession({ now: rfc3339(command.now) }, session);
}

/** Past its retention time (rule S42). */
export function isExpired(state: SessionState, now: number): boolean {
  if (!state.opening) return false;
  const end = expiresAt(state);
  return end !== null && state.open.size === 0 && Date.parse(end) <= now;
}

function refuseOpenTurn(session: SessionState): void {
  const open = openDirectTurn(session) ?? [...session.open.values()][0];
  if (open)
    throw new Refusal(
      'session_turn_active',
      { turn_id: open.turn.id, status: open.turn.status },
      'the session has an open turn',
    );
}
