import { Injectable } from '@nestjs/common';
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

  /** The live skill of this name; null when there is none. */
  async skillByName(orgId: string, name: string): Promise<SkillRecord | null> {
    return (await this.claims.named(skillKind, orgId, name))?.record ?? null;
  }
}
