import { badRequest, fits, invalidArgument } from '@aos/kernel';
import type { AgentRecord } from '@aos/definitions/published';
import { families, isReserved } from '@aos/events/published';
import { ConditionFault, parseCondition } from '../pattern/condition.decide.js';
import { isPattern, prefixOf } from '../pattern/pattern.decide.js';
import type { RoutineEventTrigger, RoutineSchedule } from '../routine/routine.events.js';
import { bindingOf } from '../routine/source.decide.js';
import { requireSchedule } from '../routine/next-fire.js';
import type { RoutineChange } from './routines.decide.js';

type Trigger = NonNullable<RoutineChange['trigger']>;

/**
 * The trigger that a body names, checked.
 *
 * Takes    the body's `schedule` or `event`, the agent, and now.
 * Gives    what the record keeps; null when the body names neither.
 * Refuses  bad_request for both; invalid_argument {argument: schedule, reason} as `requireSchedule`; {argument: event,
 *          reason} for a pattern that no event can have, a condition that cannot be read, a connection that the agent's
 *          access excludes.
 * Source   rule X3: any event of the catalog; what a provider has not sent yet may come.
 */
export function triggerOf(
  body: { schedule?: RoutineSchedule | undefined; event?: RoutineEventTrigger | undefined },
  agent: AgentRecord,
  nowMs: number,
): Trigger | null {
  const { schedule, event } = body;
  if (schedule && event) throw badRequest([{ path: '/event', message: 'must not be given with a schedule' }]);
  const rules = agent.wire.integration_access;
  if (schedule) {
    const timezone = schedule.timezone ?? 'UTC';
    requireSchedule({ schedule, timezone, anchorMs: nowMs }, nowMs);
    return { schedule: { ...schedule }, event: null, timezone, source_bound: false };
  }
  if (!event) return null;
  requirePattern(event.event_type);
  requireCondition(event.condition);
  const binding = bindingOf(event, rules);
  if (binding === 'refused')
    throw invalidArgument('event', "the agent's access is pinned to another connection", {
      reason: 'source_not_bound',
    });
  return { schedule: null, event: { ...event }, timezone: 'UTC', source_bound: binding === 'bound' };
}

function requirePattern(pattern: string): void {
  if (!isPattern(pattern))
    throw invalidArgument('event', 'an event type, or a prefix with .*', { reason: 'invalid_event_type' });
  const family = families.find(({ prefix }) => prefix === prefixOf(pattern));
  const isKnown = family ? family.types.some(({ name }) => fits(name, pattern)) : !isReserved(prefixOf(pattern));
  if (!isKnown) throw invalidArgument('event', 'the catalog has no such event', { reason: 'unknown_event_type' });
}

function requireCondition(condition: string | undefined): void {
  if (condition === undefined) return;
  try {
    parseCondition(condition);
  } catch (error) {
    if (error instanceof ConditionFault)
      throw invalidArgument('event', `condition: ${error.message}`, { reason: 'invalid_condition' });
    throw error;
  }
}
