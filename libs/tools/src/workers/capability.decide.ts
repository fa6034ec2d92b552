import type { Capability } from './frames.decide.js';

/** The work of a job, in the terms in which workers declare their capabilities. */
export type Wanted =
  { kind: 'action_execution'; actionName: string } | { kind: 'llm_generation'; provider: string; model: string };

/** The capability after an update: members that the update leaves out stay. */
export function updated(known: Capability, { actionNames, models, availableSlots }: Capability): Capability {
  return {
    actionNames: actionNames ?? known.actionNames,
    models: models ?? known.models,
    availableSlots: availableSlots ?? known.availableSlots,
  };
}

type Named = Pick<Capability, 'actionNames' | 'models'>;

/** A worker that names no actions takes all of them, unless it names models. */
export function takesAllActions({ actionNames, models }: Named): boolean {
  return actionNames === null && (models ?? []).length === 0;
}

/** Of models a worker takes only those that it names. */
export function takes({ actionNames, models }: Named, wanted: Wanted): boolean {
  if (wanted.kind === 'llm_generation')
    return (models ?? []).some(({ provider, model }) => provider === wanted.provider && model === wanted.model);
  return actionNames ? actionNames.includes(wanted.actionName) : takesAllActions({ actionNames, models });
}
