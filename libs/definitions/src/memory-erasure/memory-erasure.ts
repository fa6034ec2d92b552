import { Injectable } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import { Clock, derivedId, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import { memoryErasureDecider } from '../memory-erasure.decider.js';
import { MemoryEntries } from '../memory/memory-entries.js';
import { MemoryReader } from '../memory/memory-reader.js';
import { erasedAtOnceMax } from '../memory/memory.limits.js';

/** Erases a person's partition, for an administrator who is shown nothing of it (rule R46). */
@Injectable()
export class MemoryErasure {
  constructor(
    private readonly decisions: Decisions,
    private readonly reader: MemoryReader,
    private readonly entries: MemoryEntries,
    private readonly salts: OrganizationSalts,
    private readonly clock: Clock,
  ) {}

  /**
   * Records the request before the first entry is deleted, so that the audit names an erasure that breaks off. A repeat
   * erases the entries that are left.
   *
   * Gives    the contract's `AgentMemoryErasure`: one call erases a bounded number of entries and says whether there
   *          are more.
   */
  async erase(who: Identity, agentId: string, userId: string): Promise<Reply<'eraseAgentMemoryPartition'>> {
    const id = derivedId('mem', await this.salts.of(who.orgId), ['erasure', agentId, userId]);
    const asked = { orgId: who.orgId, agentId, userId, at: rfc3339(this.clock.now()) };
    await this.decisions.decide(memoryErasureDecider.askForErasure, id, actorOf(who), asked);
    const keys = await this.reader.keys(who.orgId, agentId, userId, erasedAtOnceMax + 1);
    let erased = 0;
    for (const key of keys.slice(0, erasedAtOnceMax)) {
      if (await this.entries.erase({ who, agentId, userId, key, reason: 'api', deliveryId: null })) erased += 1;
    }
    return { agent_id: agentId, user_id: userId, erased_count: erased, has_more: keys.length > erasedAtOnceMax };
  }
}
