import type { AnyEvent, EventDeclarations, StreamKind } from '@aos/kernel';
import type { DefinitionRecord, DefinitionType, Named, Recorded } from './definition.events.js';

export interface DefinitionState<D> {
  /** Null before the first event. */
  readonly record: DefinitionRecord<D> | null;
}

/** An event of a definition stream: the fact's name and the record as it stands after it. */
export interface DefinitionEvent<D> extends AnyEvent {
  data: Recorded<D>;
}

/** A stream kind with its last event as its state; it names the facts that the name claims write. */
export interface DefinitionKind<D extends Named, E extends DefinitionEvent<D> = DefinitionEvent<D>> extends StreamKind<
  DefinitionState<D>,
  E
> {
  readonly category: DefinitionType;
  created(record: DefinitionRecord<D>): E;
  changed(record: DefinitionRecord<D>): E;
  deleted(record: DefinitionRecord<D>): E;
}

/** Takes the category, the events and the three facts that the name claims write. */
export function definitionKind<D extends Named, E extends DefinitionEvent<D>>(parts: {
  category: DefinitionType;
  events: EventDeclarations;
  created(record: DefinitionRecord<D>): E;
  changed(record: DefinitionRecord<D>): E;
  deleted(record: DefinitionRecord<D>): E;
}): DefinitionKind<D, E> {
  return {
    ...parts,
    stateVersion: 1,
    snapshotEvery: 50,
    initial: () => ({ record: null }),
    evolve: (_state, event) => ({ record: event.data.record }),
  };
}

/** The text a field holds after a change: absent keeps, empty clears. */
export function text(desired: string | undefined, current: string | undefined): string | undefined {
  if (desired === undefined) return current;
  return desired === '' ? undefined : desired;
}

/** The same object without the members that are not set, as it is stored. */
export function withoutUnset<T extends object>(fields: T): T {
  for (const field of Object.keys(fields) as (keyof T)[]) if (fields[field] === undefined) delete fields[field];
  return fields;
}
