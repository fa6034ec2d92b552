import { canonicalJson, hash32, type StreamKind } from '@aos/kernel';
import type { Binding, DefinitionType } from '@aos/definitions/published';
import { blueprintEvents, type BlueprintEvent, type ChangeBegun, type IntendedEntry } from './blueprint.events.js';

/** What tells one applied blueprint from another (rule BP6). */
export interface BlueprintIdentity {
  namespace: string | null;
  blueprintKey: string | null;
}

export interface BlueprintState {
  /** The change that is under way, or that broke off. */
  readonly change: Readonly<Pick<ChangeBegun, 'change_id' | 'process' | 'until'>> | null;
  /** Resource type and key -> the resource that was last about to be bound to it. */
  readonly entries: ReadonlyMap<string, IntendedEntry>;
}

/** Stream `blueprint-<id>`. */
export const blueprintKind: StreamKind<BlueprintState, BlueprintEvent> = {
  category: 'blueprint',
  events: blueprintEvents,
  stateVersion: 1,
  snapshotEvery: 100,
  notifies: true,
  initial: () => ({ change: null, entries: new Map() }),
  evolve(state, event) {
    switch (event.type) {
      case 'ChangeBegun': {
        const { change_id: changeId, process, until } = event.data;
        return { ...state, change: { change_id: changeId, process, until } };
      }
      case 'ChangeProlonged':
        return state.change?.change_id === event.data.change_id
          ? { ...state, change: { ...state.change, until: event.data.until } }
          : state;
      case 'EntriesIntended': {
        const entries = new Map(state.entries);
        for (const entry of event.data.entries) entries.set(entryId(entry.resource_type, entry.key), entry);
        return { ...state, entries };
      }
      case 'ChangeEnded':
        return state.change?.change_id === event.data.change_id ? { ...state, change: null } : state;
    }
  },
};

/** Id behind the category: the same for the same organization, namespace and key. */
export function blueprintStreamId(orgId: string, { namespace, blueprintKey }: BlueprintIdentity): string {
  return hash32(canonicalJson([orgId, namespace, blueprintKey]));
}

/** What tells an entry from the others of its blueprint: keys are unique in their type (rule B8). */
export function entryId(type: DefinitionType, key: string): string {
  return `${type} ${key}`;
}

/** Whether a binding is one of this blueprint. */
export function belongsTo(binding: Binding, { namespace, blueprintKey }: BlueprintIdentity): boolean {
  return binding.namespace === namespace && binding.blueprint_key === blueprintKey;
}
