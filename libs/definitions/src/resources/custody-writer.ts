import { Injectable } from '@nestjs/common';
import { Clock, Ids, notFound, rfc3339, type CustodyCommand, type Identity } from '@aos/kernel';
import { actionDecider } from '../action.decider.js';
import { agentDecider } from '../agent.decider.js';
import { skillDecider } from '../skill.decider.js';
import { tableDecider } from '../table.decider.js';
import { changeCustody } from '../definition/definition.decide.js';
import type { AnyRecord, DefinitionRecord, DefinitionType } from '../definition/definition.events.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { resourceKindOf } from './resource-kinds.js';

/** Owner and audience of agents, skills, actions and tables, for the context that changes custody of all things. */
@Injectable()
export class CustodyWriter {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly streams: DefinitionStreams,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** The live record, whether it is within reach or not. Refuses not_found. */
  async record(orgId: string, type: DefinitionType, id: string): Promise<AnyRecord> {
    const latest = await this.streams.latest(resourceKindOf(type).kind, orgId, id);
    if (!latest || latest.record.deleted_at !== null) throw notFound(type);
    return latest.record;
  }

  /** Refuses as `change` of a skill, an action or a table; writes nothing. */
  async judge(who: Identity, type: DefinitionType, id: string, command: CustodyCommand): Promise<void> {
    const record = await this.record(who.orgId, type, id);
    changeCustody(resourceKindOf(type).kind)({ ...command, who, at: rfc3339(this.clock.now()) }, record);
  }

  /** Refuses not_found; what the decide functions refuse. */
  async change(
    who: Identity,
    type: DefinitionType,
    id: string,
    command: CustodyCommand,
  ): Promise<DefinitionRecord<unknown>> {
    return (await this.written(who, type, id, { ...command, who, at: rfc3339(this.clock.now()) })).record;
  }

  private written(
    who: Identity,
    type: DefinitionType,
    id: string,
    command: CustodyCommand & { who: Identity; at: string },
  ): Promise<{ record: DefinitionRecord<unknown> }> {
    switch (type) {
      case 'agent': {
        const withFollowUp = { ...command, followUpId: this.ids.ulid() };
        return this.writer.decide(agentDecider.changeAgentCustody, who, id, withFollowUp);
      }
      case 'skill':
        return this.writer.decide(skillDecider.changeSkillCustody, who, id, command);
      case 'action':
        return this.writer.decide(actionDecider.changeActionCustody, who, id, command);
      case 'table':
        return this.writer.decide(tableDecider.changeTableCustody, who, id, command);
    }
  }

  /** One of the things that a change of an agent's custody brings about is done. */
  async finishFollowUp(who: Identity, agentId: string, id: string): Promise<void> {
    await this.writer.decide(agentDecider.finishFollowUp, who, agentId, { id });
  }
}
