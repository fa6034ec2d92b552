import { nextRecord, type ChangeStamp } from '../definition/definition.decide.js';
import type { AgentEvent } from './agent.events.js';
import type { AgentRecord } from './agent.state.js';

/** The assigned skills replaced, in order; nothing when they are the same. */
export function withSkills(record: AgentRecord, skillIds: string[], stamp: ChangeStamp): AgentEvent[] {
  const { skill_ids: assigned } = record.wire;
  if (assigned.length === skillIds.length && assigned.every((id, index) => id === skillIds[index])) return [];
  const wire = { ...record.wire, skill_ids: [...skillIds] };
  return [{ type: 'AgentSkillsAssigned', data: { record: nextRecord(record, { wire }, stamp) } }];
}

/** A deleted skill leaves an agent, be it protected. */
export function takeSkillOff(
  { skillId, stamp }: { skillId: string; stamp: ChangeStamp },
  record: AgentRecord,
): AgentEvent[] {
  return withSkills(
    record,
    record.wire.skill_ids.filter((id) => id !== skillId),
    stamp,
  );
}
