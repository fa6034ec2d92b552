import { notFound } from '@aos/kernel';
import type { DefinitionRecord } from './definition.events.js';
import type { DefinitionState } from './definition.state.js';

/**
 * Lifts a decide function of a live resource's record to one of its stream's state.
 *
 * Refuses  not_found for a resource that is missing or deleted; what the function refuses.
 */
export function ofLive<D, E, C>(
  decide: (command: C, record: DefinitionRecord<D>) => readonly E[],
): (command: C, state: DefinitionState<D>) => readonly E[] {
  return (command, { record }) => {
    if (!record || record.deleted_at !== null) throw notFound(record?.type);
    return decide(command, record);
  };
}
