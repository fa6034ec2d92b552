import { Injectable } from '@nestjs/common';
import { ModelProvider, Refusal, invalidArgument, notFound, type Identity } from '@aos/kernel';
import { OrganizationPlans } from '@aos/access/published';
import type { AgentRecord } from '@aos/definitions/published';
import { MessagingAccounts } from '../binding/messaging-accounts.js';
import { connectionKindOf } from '../binding/binding.state.js';
import type { BindingBody } from './bindings.decide.js';

/** What a binding names of other contexts: its account and its model. */
@Injectable()
export class BindingChecks {
  constructor(
    private readonly accounts: MessagingAccounts,
    private readonly models: ModelProvider,
    private readonly plans: OrganizationPlans,
  ) {}

  /**
   * Refuses  not_found for a connection that is none of the team's or does not grant the agent; invalid_argument for
   *          one of another kind, an agent without inbox, and a model that cannot be chosen; plan_limit_exceeded.
   * Source   rules TE12, S14.
   */
  async check(who: Identity, agent: AgentRecord, body: BindingBody): Promise<void> {
    await this.checkAccount(who, agent, body);
    await this.checkModel(who, agent, body);
  }

  private async checkAccount(who: Identity, agent: AgentRecord, body: BindingBody): Promise<void> {
    const account = await this.accounts.find(who.orgId, body.integration_id);
    if (!account?.grants(agent.id)) throw notFound('connection');
    const kind = connectionKindOf(body.provider);
    if (account.kind !== kind)
      throw invalidArgument('integration_id', `${body.provider} needs a connection of kind ${kind}`);
    if (body.provider === 'email' && !agent.wire.email_address)
      throw invalidArgument('provider', 'the agent has no inbox');
  }

  private async checkModel(who: Identity, { wire }: AgentRecord, { model_route: route }: BindingBody): Promise<void> {
    if (route?.mode !== 'managed' || route.model === undefined) return;
    if (wire.model_route?.mode === 'worker') throw invalidArgument('model_route', 'the agent is routed to a worker');
    const option = this.models.find(route.model);
    if (!option) throw invalidArgument('model_route', 'no such model', { reason: 'model_unavailable' });
    if (!(await this.plans.includes(who.orgId, option.plans)))
      throw new Refusal('plan_limit_exceeded', { model: route.model }, 'the billing plan does not allow this model');
  }
}
