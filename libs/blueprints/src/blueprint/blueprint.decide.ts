import { Refusal } from '@aos/kernel';
import type { BlueprintEvent, ChangeBegun, IntendedEntry } from './blueprint.events.js';
import { entriesPerEvent } from './blueprint.limits.js';
import { entryId, type BlueprintState } from './blueprint.state.js';

/**
 * Begins a change of a blueprint when no other is under way.
 *
 * Takes    the change; the time; whether this process is the only possible writer; which of this process's changes are
 *          alive.
 * Gives    one event; none while another change lives. A change past its time is dead. A change that this process does
 *          not carry out is dead at once when it bears this process's id or no other process can write.
 * Source   rule B28.
 */
export function beginChange(
  command: { change: ChangeBegun; nowMs: number; soleWriter: boolean; alive: ReadonlySet<string> },
  { change: other }: BlueprintState,
): BlueprintEvent[] {
  const { change, nowMs, soleWriter, alive } = command;
  if (other && !isDead(other, command.change.process, nowMs, soleWriter, alive)) return [];
  return [{ type: 'ChangeBegun', data: change }];
}

function isDead(
  other: NonNullable<BlueprintState['change']>,
  process: string,
  nowMs: number,
  soleWriter: boolean,
  alive: ReadonlySet<string>,
): boolean {
  if (Date.parse(other.until) <= nowMs) return true;
  return (soleWriter || other.process === process) && !alive.has(other.change_id);
}

/** Prolongs a change by a sign of life. Refuses conflict when the change was taken for dead and another took over. */
export function prolongChange(command: { changeId: string; until: string }, state: BlueprintState): BlueprintEvent[] {
  requireOwn(command.changeId, state);
  return [{ type: 'ChangeProlonged', data: { change_id: command.changeId, until: command.until } }];
}

/**
 * Records which resources are about to be bound; leaves out those already recorded. Refuses conflict after a takeover.
 */
export function intendEntries(
  command: { changeId: string; entries: readonly IntendedEntry[] },
  state: BlueprintState,
): BlueprintEvent[] {
  const { changeId, entries } = command;
  requireOwn(changeId, state);
  const news = entries.filter((entry) => {
    const known = state.entries.get(entryId(entry.resource_type, entry.key));
    return (
      known?.resource_id !== entry.resource_id || known.name !== entry.name || known.generation !== entry.generation
    );
  });
  const events: BlueprintEvent[] = [];
  for (let from = 0; from < news.length; from += entriesPerEvent) {
    events.push({
      type: 'EntriesIntended',
      data: { change_id: changeId, entries: news.slice(from, from + entriesPerEvent) },
    });
  }
  return events;
}

/** Ends a change, unless another took over. */
export function endChange(command: { changeId: string }, { change }: BlueprintState): BlueprintEvent[] {
  return change?.change_id === command.changeId ? [{ type: 'ChangeEnded', data: { change_id: command.changeId } }] : [];
}

function requireOwn(changeId: string, { change }: BlueprintState): void {
  if (change?.change_id !== changeId) throw new TakenOver();
}

/** Another change took over, because this one was silent for too long. This one must not write any more. */
export class TakenOver extends Refusal {
  constructor() {
    super('conflict', {}, 'another change of this blueprint took over');
  }
}
