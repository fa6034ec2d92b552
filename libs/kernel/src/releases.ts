import type { AnyEvent, EventDeclarations } from './events.js';
import { isJsonObject, type JsonObject } from './json.js';
import { Refusal } from './refusal.js';

/**
 * What a process may write (setting `SVC_WRITES`, rule VER7).
 *
 * current   all that this release knows.
 * previous  only what the release before reads and obeys rightly: both run side by side.
 */
export const writesChoices = ['current', 'previous'] as const;
export type Writes = (typeof writesChoices)[number];

/**
 * An optional member of a recorded event that the release before does not know and would obey wrongly. A member that
 * the release before may pass over without harm is not listed.
 */
export interface NewMember {
  /** Category of the stream and type of the event, such as `session/TurnClaimed`. */
  readonly event: string;
  /** Where it stands in the event's data. */
  readonly path: readonly [string, ...string[]];
  /** The event is refused under `previous` with this feature; absent: it is written without the member. */
  readonly feature?: string;
}

/** Members since the release before. The next release begins with none of them. */
export const newMembers: readonly NewMember[] = [
  // it would call the action without an account
  { event: 'action/ActionCreated', path: ['record', 'wire', 'provider'], feature: 'connections' },
  { event: 'action/ActionConfigured', path: ['record', 'wire', 'provider'], feature: 'connections' },
];

/** An operation cannot do without what the release before does not read: 409 until the whole fleet writes `current`. */
export function upgradePending(feature: string): Refusal {
  return new Refusal(
    'upgrade_pending',
    { feature },
    `${feature}: not before every process is of this release and SVC_WRITES is current`,
  );
}

/**
 * Events as a process under `previous` writes them.
 *
 * Takes    the stream's category, its declarations, what was decided, and the members since the release before.
 * Gives    the same events, those with a new member that is left out as copies without it.
 * Refuses  `upgrade_pending` for an event of this release, and for a member that an operation cannot do without.
 */
export function asPreviousReads<E extends AnyEvent>(
  kind: { readonly category: string; readonly events: EventDeclarations },
  decided: readonly E[],
  members: readonly NewMember[] = newMembers,
): readonly E[] {
  return decided.map((event) => {
    const since = kind.events[event.type]?.since;
    if (since !== undefined) throw upgradePending(since);
    const name = `${kind.category}/${event.type}`;
    let data = event.data as JsonObject;
    for (const { event: of, path, feature } of members) {
      if (of !== name || !has(data, path)) continue;
      if (feature !== undefined) throw upgradePending(feature);
      data = without(data, path);
    }
    return data === event.data ? event : { ...event, data };
  });
}

function has(data: JsonObject, [first, ...rest]: readonly [string, ...string[]]): boolean {
  const value = data[first];
  if (value === undefined) return false;
  const [next, ...deeper] = rest;
  return next === undefined || (isJsonObject(value) && has(value, [next, ...deeper]));
}

/** A copy of the data, and of what leads to the member. */
function without(data: JsonObject, [first, ...rest]: readonly [string, ...string[]]): JsonObject {
  const { [first]: value, ...others } = data;
  const [next, ...deeper] = rest;
  return next === undefined || !isJsonObject(value) ? others : { ...data, [first]: without(value, [next, ...deeper]) };
}
