import { Injectable } from '@nestjs/common';
import { Refusal, notFound } from '@aos/kernel';
import { SkillDirectory, missingOf } from '@aos/definitions/published';
import type { BuiltinAnswer, BuiltinCall, BuiltinFamily } from './builtin-call.js';

/** `svc.skill.invoke` */
@Injectable()
export class SkillTools implements BuiltinFamily {
  constructor(private readonly skills: SkillDirectory) {}

  readonly tools = { 'svc.skill.invoke': (call: BuiltinCall) => this.invoke(call) };

  /**
   * Gives the skill's instructions. Refuses a skill that the agent is not assigned, and one that requires actions the
   * agent is not granted (rule R20).
   */
  private async invoke({ who, agent, granted, input }: BuiltinCall): Promise<BuiltinAnswer> {
    const skill = (await this.skills.skills(who.orgId, agent.wire.skill_ids)).find(
      ({ wire }) => wire.name === input.name,
    );
    if (!skill) throw notFound('skill');
    const missing = missingOf(skill.wire.required_actions, granted);
    if (missing.length > 0)
      throw new Refusal(
        'action_not_ready',
        { missing_required: missing },
        'the agent is not granted what the skill requires',
      );
    const { name, title, instructions, allowed_actions: allowed } = skill.wire;
    return {
      output: { skill: name, ...(title === undefined ? {} : { title }), instructions, allowed_actions: allowed },
      more: { skill_id: skill.id },
    };
  }
}
