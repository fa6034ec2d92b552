import { collection, inOrganization, type IndexValue } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import { metadataEntries } from './finding.decide.js';
import type { SessionEvent } from './session.events.js';
import { sessionKind, type SessionState } from './session.state.js';
import { expiresAt } from './session.wire.js';

/** A row of the list: what finds a session; the session itself is read from its stream. */
export type SessionRow = {
  session_id: string;
  agent_id: string;
  expires_at: string | null;
  activity: string;
  title: string | null;
  session_key: string;
  /** Custody since it changed: events before say what it was. Absent: it is as the session was opened. */
  custody?: { owner_id: string | null; visibility: 'private' | 'organization' };
};

/** Sessions for lists: newest activity first. The row holds no posture (that is worked out for its reader). */
export const sessionsProjection: StreamProjection<SessionState, SessionEvent> = {
  name: 'sessions',
  version: 2,
  retired: ['sessions@1'],
  kind: sessionKind,
  rowKey: inOrganization,
  on: new Set([
    'SessionOpened',
    'TitleChanged',
    'MetadataReplaced',
    'CompactionPolicyChanged',
    'ThinkingEffortChanged',
    'CustodyChanged',
    'SessionArchived',
    'SessionReactivated',
    'SessionDeleted',
    'TurnQueued',
    'TurnCompleted',
    'TurnFailed',
    'TurnCancelled',
    'CountersAdded',
    'MessageAppended',
    'TranscriptSummarised',
  ]),
  rows({ state, id, revision }) {
    const { opening } = state;
    if (!opening) return [];
    const base = { ...inOrganization({ id, orgId: opening.org_id }), revision };
    if (state.status === 'deleted') return [sessionRows.row({ ...base, doc: null, index: {} })];
    const activity = activityOf(state, opening);
    const { agent_id, session_key, owner } = opening;
    const shown = { session_id: id, agent_id, expires_at: expiresAt(state), activity, title: state.title, session_key };
    const custody = custodySince(state);
    const doc: SessionRow = custody ? { ...shown, custody } : shown;
    const index: Record<string, IndexValue> = { activity, agent: agent_id, status: state.status };
    if (opening.visibility === 'private' && opening.owner.id) index.private_of = opening.owner.id;
    const { provider, integration_id: integration } = state.metadata ?? {};
    if (owner.id) index.owner = owner.id;
    const entries = metadataEntries(state.metadata);
    if (entries.length > 0) index.metadata = entries;
    if (typeof provider === 'string') index.provider = provider;
    if (typeof integration === 'string') index.integration = integration;
    return [sessionRows.row({ ...base, doc, index })];
  },
};

/** When a session was last active: its newest row, else its opening. */
export function activityOf(
  { lastMessageAt }: Pick<SessionState, 'lastMessageAt'>,
  opening: Pick<NonNullable<SessionState['opening']>, 'created_at'>,
): string {
  return lastMessageAt ?? opening.created_at;
}

/** Owner and audience since they changed; null for a session that is as it was opened. */
export function custodySince({ opening }: SessionState): NonNullable<SessionRow['custody']> | null {
  return opening?.custody_changes ? { owner_id: opening.owner.id, visibility: opening.visibility } : null;
}

export const sessionRows = collection<SessionRow>(sessionsProjection);
