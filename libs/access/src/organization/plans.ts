import { Injectable } from '@nestjs/common';
import { Clock, idPart, looksLikeId, notFound, rfc3339 } from '@aos/kernel';
import { Decisions, type Actor } from '@aos/platform';
import { organizationDecider } from '../organization.decider.js';
import { organizationKind } from './organization.state.js';

/**
 * Billing plans of organizations: an operator chooses them, and some models may be reserved for some of them (rule
 * S14).
 */
@Injectable()
export class OrganizationPlans {
  constructor(
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /** The plan as it is now. Throws `StoreUnavailable` when the log cannot answer. */
  async of(orgId: string): Promise<string> {
    return (await this.decisions.load(organizationKind, idPart(orgId))).state.plan;
  }

  /** Whether the organization is on one of these plans; null means all plans. */
  async includes(orgId: string, plans: readonly string[] | null): Promise<boolean> {
    return plans === null || plans.includes(await this.of(orgId));
  }

  /**
   * Refuses  like `changePlan`.
   */
  async change(actor: Actor, plan: string): Promise<string> {
    if (!looksLikeId('org', actor.orgId)) throw notFound('organization');
    const command = { plan, at: rfc3339(this.clock.now()) };
    return (await this.decisions.decide(organizationDecider.changePlan, idPart(actor.orgId), actor, command)).state
      .plan;
  }
}
