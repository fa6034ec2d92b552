import type { Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import type { AgentRecord } from '../agent/agent.state.js';
import type { SkillRecord } from '../skill/skill.state.js';
import { canSee } from '../definition/custody.decide.js';
import { skillWire } from '../skill/skill.projection.js';

/**
 * The agent's live skills in order; a skill's own record only for those who can see it (contract,
 * `SkillAssignmentListResponse`).
 */
export function assignmentsWire(
  agent: AgentRecord,
  skills: readonly SkillRecord[],
  who: Identity,
): Schema<'SkillAssignmentListResponse'> {
  const items = skills.map((skill, position) => {
    const item = { agent_id: agent.id, skill_id: skill.id, enabled: true, position, created_at: agent.updated_at };
    return canSee(skill, who) ? { ...item, skill: skillWire(skill, who) } : item;
  });
  return { items };
}
