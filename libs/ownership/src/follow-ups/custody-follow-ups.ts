import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Refusal, messageOf, type Identity, type RefusalCode } from '@aos/kernel';
import { organizationIdentity } from '@aos/access/published';
import { AgentGrants } from '@aos/connections/published';
import {
  AgentDirectory,
  CustodyWriter,
  FollowUps,
  MemoryErasure,
  type Disposition,
  type FollowUp,
  type FollowUpCarrier,
} from '@aos/definitions/published';
import { StrandedPeople } from '../impact/stranded-people.js';
import { DispositionSteps } from './disposition-steps.js';

/** A disposition that is refused with one of these was overtaken by another change: it is passed over. */
const overtaken: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'not_found',
  'permission_denied',
  'invalid_argument',
  'conflict',
  'blueprint_resource_protected',
]);

/** People whose partitions one change deletes, and calls that delete one partition. */
const peopleMax = 1_000_000;
const callsMax = 1_000;

/**
 * Carries out what accepted changes of agents' custody bring about. Each step can be taken twice, and changes its
 * resource once; the agent's stream says when all are done, so that a timer goes on after a crash (rules TE10, TE11).
 */
@Injectable()
export class CustodyFollowUps implements FollowUpCarrier, OnModuleInit {
  private readonly log = new Logger('ownership');

  constructor(
    private readonly registry: FollowUps,
    private readonly agents: AgentDirectory,
    private readonly custody: CustodyWriter,
    private readonly steps: DispositionSteps,
    private readonly grants: AgentGrants,
    private readonly stranded: StrandedPeople,
    private readonly erasure: MemoryErasure,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async judge(who: Identity, dispositions: readonly Disposition[]): Promise<void> {
    for (const disposition of dispositions) await this.steps.judge(who, disposition);
  }

  async carryOutOrLeave(orgId: string, agentId: string): Promise<void> {
    try {
      await this.carryOut(orgId, agentId);
    } catch (error) {
      this.log.warn(`${agentId}: left to its timer: ${messageOf(error)}`);
    }
  }

  /** Carries out all that is left, in order. Throws where a step cannot be taken now. */
  async carryOut(orgId: string, agentId: string): Promise<void> {
    const agent = await this.agents.agent(orgId, agentId);
    for (const followUp of agent?.follow_ups ?? []) {
      const who = acting(orgId, followUp);
      if (followUp.ends_grants) await this.grants.end(who, agentId);
      for (const disposition of followUp.dispositions) await this.dispose(who, disposition, followUp.id);
      if (followUp.deletes_stranded) await this.deleteStranded(who, agentId, followUp);
      await this.custody.finishFollowUp(who, agentId, followUp.id);
    }
  }

  private async dispose(who: Identity, disposition: Disposition, changeId: string): Promise<void> {
    try {
      await this.steps.carryOut(who, disposition, changeId);
    } catch (error) {
      if (!(error instanceof Refusal) || !overtaken.has(error.code)) throw error;
      this.log.warn(`${disposition.resource_id}: passed over: ${error.message}`);
    }
  }

  /** People who reach the agent again by now keep what is theirs. */
  private async deleteStranded(who: Identity, agentId: string, { before, after }: FollowUp): Promise<void> {
    const agent = await this.agents.agent(who.orgId, agentId);
    if (!agent) return;
    const change = { before: { ...agent, ...before }, after: [{ ...agent, ...after }, agent] };
    for (const userId of await this.stranded.withPartition(change, peopleMax)) {
      for (let call = 0; call < callsMax; call += 1)
        if (!(await this.erasure.erase(who, agentId, userId)).has_more) break;
    }
  }
}

/** The principal that made the change, with what it was allowed then. */
function acting(orgId: string, { id, by }: FollowUp): Identity {
  return {
    ...organizationIdentity(orgId, id),
    principalId: by.id,
    kind: by.kind,
    permissions: new Set(by.permissions),
  };
}
