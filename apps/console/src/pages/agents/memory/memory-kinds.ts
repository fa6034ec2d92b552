import type { Schema } from '@aos/client';

export type MemoryEntry = Schema<'AgentMemoryEntry'>;

export const kinds = ['fact', 'preference', 'episode', 'summary'] as const;
export const kindChoices = kinds.map((kind) => ({ value: kind, label: kind }));
