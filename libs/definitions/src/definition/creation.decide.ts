import type { DefinitionState } from './definition.state.js';

/** Carries a creation out that was claimed: writes its event, once. */
export function finishCreation<D, E>({ event }: { event: E }, { record }: DefinitionState<D>): readonly E[] {
  return record ? [] : [event];
}
