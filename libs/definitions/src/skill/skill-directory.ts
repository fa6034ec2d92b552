import { Injectable } from '@nestjs/common';
import { invalidArgument, type Identity } from '@aos/kernel';
import { canSee } from '../definition/custody.decide.js';
import { skillKind, type SkillRecord } from './skill.state.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { Claims } from '../names/claims.js';

/** Skills, read fresh from their streams. */
@Injectable()
export class SkillDirectory {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly claims: Claims,
  ) {}

  /** The live skill; null when the id is unknown, deleted or of another organization. */
  async skill(orgId: string, skillId: string): Promise<SkillRecord | null> {
    const latest = await this.streams.latest(skillKind, orgId, skillId);
    return latest && latest.record.deleted_at === null ? latest.record : null;
  }

  /** The live ones of these, in the order asked; the others are left out. */
  async skills(orgId: string, skillIds: readonly string[]): Promise<SkillRecord[]> {
    const found = await Promise.all(skillIds.map((skillId) => this.skill(orgId, skillId)));
    return found.filter((skill) => skill !== null);
  }

  /** Requires skills that an agent is given to exist within its author's reach; refuses invalid_argument. */
  async require(who: Identity, skillIds: readonly string[] = []): Promise<void> {
    const reachable = new Set(
      (await this.skills(who.orgId, skillIds)).filter((skill) => canSee(skill, who)).map(({ id }) => id),
    );
    const missing = skillIds.find((id) => !reachable.has(id));
    if (missing !== undefined)
      throw invalidArgument('skill_ids', 'no such skill', { reason: 'unknown_skill', skill_id: missing });
  }

  /** The live skill of this name; null when there is none. */
  async skillByName(orgId: string, name: string): Promise<SkillRecord | null> {
    return (await this.claims.named(skillKind, orgId, name))?.record ?? null;
  }
}
