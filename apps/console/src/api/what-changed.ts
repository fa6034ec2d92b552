import type { SourceEvent } from '@aos/client';

/** By kind of source: the nouns of the client whose lists and items are read anew after an event. */
const nounsByKind: Record<string, readonly string[]> = {
  session: ['sessions', 'turns', 'nudges', 'routines', 'artifacts'],
  interaction: ['interactions', 'sessions', 'overview'],
  table_row: ['tables'],
  agent_memory: ['agents'],
};

export function nounsChangedBy({ source_kind }: Pick<SourceEvent, 'source_kind'>): readonly string[] {
  return [...(nounsByKind[source_kind] ?? []), 'events'];
}

/** Whether events say that lists and items of a noun have changed. */
export function isChangedByEvents(noun: string): boolean {
  return noun === 'events' || Object.values(nounsByKind).some((nouns) => nouns.includes(noun));
}
