import { hash32, type StreamKind } from '@aos/kernel';
import type { DefinitionType } from '../definition/definition.events.js';
import {
  nameEvents,
  refEvents,
  type NameClaimed,
  type NameEvent,
  type RefClaimed,
  type RefEvent,
} from './names.events.js';

export interface NameState {
  /** The newest claim; null while no resource holds the name. */
  readonly held: NameClaimed | null;
}

/** Stream `name-<hash of organization, type and name>`: which live resource of a type has a name (rule R43). */
export const nameKind: StreamKind<NameState, NameEvent> = {
  category: 'name',
  events: nameEvents,
  stateVersion: 1,
  initial: () => ({ held: null }),
  evolve: (_state, event) => ({ held: event.type === 'NameClaimed' ? event.data : null }),
};

export interface RefState {
  readonly held: RefClaimed | null;
}

/**
 * Stream `ref-<hash of organization, type and reference>`: which resource has an outside identity, for ever (rule R16).
 */
export const refKind: StreamKind<RefState, RefEvent> = {
  category: 'ref',
  events: refEvents,
  stateVersion: 1,
  initial: () => ({ held: null }),
  evolve: (_state, event) => ({ held: event.type === 'RefClaimed' ? event.data : null }),
};

export function nameStreamId(orgId: string, type: DefinitionType, name: string): string {
  return hash32(`${orgId}/${type}/${name}`);
}

export function refStreamId(orgId: string, type: DefinitionType, externalRef: string): string {
  return hash32(`${orgId}/${type}/${externalRef}`);
}
