import { Injectable, type OnModuleInit } from '@nestjs/common';
import { invalidArgument } from '@aos/kernel';
import { serviceActor } from '@aos/platform';
import { Organizations } from '../bootstrap/organizations.js';
import { OrganizationPlans } from '../organization/plans.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { OperatorCommands, requiredArgument } from './operator-commands.js';
import type { OperatorUsage } from './operator-usage.js';

export const organizationUsages = {
  orgCreate: {
    name: 'org create',
    words: '<name>',
    summary: 'Makes an organization; prints its id and Owner key, shown this once.',
  },
  orgPlan: {
    name: 'org plan',
    words: '<org_id> <plan>',
    summary: 'Puts an organization on a billing plan; models whose plans do not name it are closed to it.',
  },
} satisfies Record<string, OperatorUsage>;

/** The operator's commands about organizations, which no caller over HTTP can make. */
@Injectable()
export class OrganizationOperatorCommands implements OnModuleInit {
  constructor(
    private readonly operator: OperatorCommands,
    private readonly organizations: Organizations,
    private readonly plans: OrganizationPlans,
  ) {}

  onModuleInit(): void {
    this.operator.register({
      ...organizationUsages.orgCreate,
      run: async (request) => {
        const { orgId, ownerKey } = await this.organizations.create(requiredArgument(request, 'name'));
        return { org_id: orgId, owner_key: ownerKey };
      },
    });
    this.operator.register({
      ...organizationUsages.orgPlan,
      run: async ({ args }) => {
        const [orgId = '', plan = '', ...rest] = args;
        if (orgId === '') throw invalidArgument('org_id', 'is missing');
        if (rest.length > 0) throw invalidArgument('plan', 'is one word');
        return {
          org_id: orgId,
          plan: await this.plans.change(serviceActor(orgId, systemPrincipalId(orgId), 'svc.org.plan'), plan),
        };
      },
    });
  }
}
