import { Injectable } from '@nestjs/common';
import { OrganizationContext } from '@aos/access/published';
import type { AgentRecord } from '@aos/definitions/published';

/** What stands before the transcript, in the order of decision R44. */
@Injectable()
export class SystemText {
  constructor(private readonly organization: OrganizationContext) {}

  async of(orgId: string, agent: AgentRecord): Promise<string> {
    const parts = [agent.wire.system_prompt ?? '', await this.organization.textOf(orgId)];
    return parts.filter((part) => part !== '').join('\n\n');
  }
}
