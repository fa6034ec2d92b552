import { Injectable } from '@nestjs/common';
import { ReadStore, collectionOf } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import type { BindingRecord } from './binding.events.js';
import { bindingsPerAgentMax } from './binding.limits.js';
import { bindingsProjection } from './binding.projection.js';
import { bindingId, bindingKind } from './binding.state.js';

/** Messaging bindings, read fresh from their streams. */
@Injectable()
export class BindingDirectory {
  constructor(
    private readonly decisions: Decisions,
    private readonly readStore: ReadStore,
  ) {}

  /** The binding of an account; null without one. */
  async of(
    orgId: string,
    account: Pick<BindingRecord, 'provider' | 'integration_id' | 'agent_id'>,
  ): Promise<BindingRecord | null> {
    const id = bindingId(orgId, account);
    const { state, revision } = await this.decisions.load(bindingKind, id);
    if (revision < 0) this.decisions.forget(bindingKind, id);
    return state.binding?.org_id === orgId ? state.binding : null;
  }

  /** All bindings of an agent, oldest first. */
  async ofAgent(orgId: string, agentId: string): Promise<BindingRecord[]> {
    const { rows } = await this.readStore.query({
      collection: collectionOf(bindingsProjection),
      scope: [orgId],
      where: [{ index: 'agent', eq: agentId }],
      orderBy: { index: 'created', direction: 'asc' },
      limit: bindingsPerAgentMax,
    });
    const found: BindingRecord[] = [];
    for (const { key } of rows) {
      const { binding } = (await this.decisions.load(bindingKind, key)).state;
      if (binding?.org_id === orgId && binding.agent_id === agentId) found.push(binding);
    }
    return found;
  }

  /** How many bindings an agent has. */
  count(orgId: string, agentId: string): Promise<number> {
    const query = { collection: collectionOf(bindingsProjection), scope: [orgId] };
    return this.readStore.count({ ...query, where: [{ index: 'agent', eq: agentId }] }, bindingsPerAgentMax);
  }
}
