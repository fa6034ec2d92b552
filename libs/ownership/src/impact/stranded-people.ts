import { Injectable } from '@nestjs/common';
import type { Viewer } from '@aos/kernel';
import { ActivePrincipals } from '@aos/access/published';
import { MemoryReader, canSee, type AgentRecord } from '@aos/definitions/published';
import { AgentSessions } from '@aos/sessions/published';

/** People that are looked at in one step. */
const step = 100;

export type AgentCustody = Pick<AgentRecord, 'id' | 'org_id' | 'owner' | 'visibility' | 'members'>;

/** A change of an agent's custody: before it, and each state after it that counts. */
export interface Narrowing {
  before: AgentCustody;
  after: readonly AgentCustody[];
}

/** Gives people that keep something at an agent, by id, from behind the one given. */
type Look = (last: string) => Promise<string[]>;

/** People who lose reach of an agent by a change of its custody (rule TE11). */
@Injectable()
export class StrandedPeople {
  constructor(
    private readonly memory: MemoryReader,
    private readonly sessions: AgentSessions,
    private readonly principals: ActivePrincipals,
  ) {}

  /** Those with a partition of its memory, by id; at most `max` people are looked at. */
  withPartition(change: Narrowing, max: number): Promise<string[]> {
    const { org_id: orgId, id } = change.before;
    return this.lost((last) => this.memory.people(orgId, id, last, step), change, max);
  }

  /** Those who own sessions of it, by id; at most `max` people are looked at. */
  withSessions(change: Narrowing, max: number): Promise<string[]> {
    const { org_id: orgId, id } = change.before;
    return this.lost((last) => this.sessions.owners(orgId, id, last, step), change, max);
  }

  private async lost(look: Look, { before, after }: Narrowing, max: number): Promise<string[]> {
    const stranded: string[] = [];
    let last = '';
    for (let seen = 0; seen < max; seen += step) {
      const people = await look(last);
      for (const id of people) {
        const viewer = await this.viewer(before.org_id, id);
        if (canSee(before, viewer) && !after.some((custody) => canSee(custody, viewer))) stranded.push(id);
      }
      if (people.length < step) break;
      last = people.at(-1) ?? last;
    }
    return stranded;
  }

  /** A person who is disabled or gone has no permissions, and loses what the organization saw like all others. */
  private async viewer(orgId: string, principalId: string): Promise<Viewer> {
    const found = await this.principals.find(orgId, principalId);
    return found ?? { orgId, principalId, kind: 'human', permissions: new Set() };
  }
}
