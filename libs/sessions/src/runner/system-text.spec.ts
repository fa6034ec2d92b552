import { StoreUnavailable } from '@aos/kernel';
import type { OrganizationContext } from '@aos/access/published';
import type { AgentRecord, MemoryCommands, SkillDirectory } from '@aos/definitions/published';
import { SystemText } from './system-text.js';

const agent = { id: 'agent_a', wire: { system_prompt: 'You are kind.', skill_ids: ['skill_b', 'skill_a'], memory_enabled: true } } as unknown as AgentRecord;
const organization = { textOf: () => Promise.resolve('We sell boats.') } as unknown as OrganizationContext;
const skills = {
  skills: (_org: string, ids: string[]) => Promise.resolve(ids.map((id) => ({ wire: { name: id, description: id === 'skill_a' ? 'Adds up' : '' } }))),
} as unknown as SkillDirectory;

function textWith(contextText: () => Promise<string>): SystemText {
  return new SystemText(organization, skills, { contextText } as unknown as MemoryCommands);
}

describe('the system text (decision R44)', () => {
  it('holds prompt, organization, skills in their order, memory', async () => {
    expect(await textWith(() => Promise.resolve('Memory:\n- likes tea')).of('org_a', agent, null)).toBe(
      'You are kind.\n\nWe sell boats.\n\nSkills that can be invoked by name:\n- skill_b\n- skill_a: Adds up\n\nMemory:\n- likes tea',
    );
  });

  it('goes without memory when its read model does not answer, and hides no other fault', async () => {
    expect(await textWith(() => Promise.reject(new StoreUnavailable('down'))).of('org_a', agent, null)).not.toContain('Memory');
    await expect(textWith(() => Promise.reject(new Error('broken'))).of('org_a', agent, null)).rejects.toThrow('broken');
  });
});
