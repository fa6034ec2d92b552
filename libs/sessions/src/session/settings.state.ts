import type { Schema } from '@aos/contract';
import { doneAfter, type JsonObject } from '@aos/kernel';
import type { CompactionPolicy, SessionOpening } from './session.events.js';

/** What a session was opened with and what its settings are since. */
export interface SettingsState {
  /** Null until the session is opened. */
  readonly opening: SessionOpening | null;
  readonly status: 'active' | 'archived' | 'deleted';
  readonly title: string;
  readonly metadata: JsonObject | null;
  readonly compactionPolicy: CompactionPolicy;
  readonly thinkingEffort: Schema<'ThinkingEffort'> | null;
  readonly updatedAt: string;
}

export const initialSettings: SettingsState = {
  opening: null,
  status: 'active',
  title: '',
  metadata: null,
  compactionPolicy: { strategy: 'auto', threshold: 'sm' },
  thinkingEffort: null,
  updatedAt: '',
};

export function opened(session: SessionOpening): SettingsState {
  return {
    opening: session,
    status: 'active',
    title: session.title,
    metadata: session.metadata ?? null,
    compactionPolicy: session.compaction_policy,
    thinkingEffort: session.thinking_effort ?? null,
    updatedAt: session.created_at,
  };
}

/** The opening with who owns it and who reaches it since. */
export function custodyChanged(
  { opening }: SettingsState,
  { owner, visibility, change_id: id }: Pick<SessionOpening, 'owner' | 'visibility'> & { change_id: string | null },
): Pick<SettingsState, 'opening'> {
  if (!opening) return { opening };
  return { opening: { ...opening, owner, visibility, custody_changes: doneAfter(opening.custody_changes, id) } };
}
