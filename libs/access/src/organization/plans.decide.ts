import { Refusal, invalidArgument } from '@aos/kernel';
import type { OrganizationEvent } from './organization.events.js';
import { planNameCharactersMax } from './organization.limits.js';
import type { OrganizationState } from './organization.state.js';

/**
 * Puts an organization on a billing plan.
 *
 * Takes    the plan's name, as the models file lists it under `plans`.
 * Gives    PlanChanged; no event when the organization is on that plan.
 * Refuses  not_found for an organization that was never created; invalid_argument {argument: plan} for a name that is
 *          empty, too long or has blanks.
 * Source   rules S14, TE78.
 */
export function changePlan({ plan, at }: { plan: string; at: string }, state: OrganizationState): OrganizationEvent[] {
  if (!state.organization) throw new Refusal('not_found', {}, 'no such organization');
  if (plan === '' || plan.length > planNameCharactersMax || /\s/u.test(plan))
    throw invalidArgument('plan', `1 to ${planNameCharactersMax} characters without blanks`);
  return plan === state.plan ? [] : [{ type: 'PlanChanged', data: { plan, changed_at: at } }];
}
