import { Injectable } from '@nestjs/common';
import { GrantingConnections } from '@aos/connections/published';
import { actingProviders } from './acting.decide.js';
import type { RoutineRecord } from './routine.events.js';
import { isWithoutSource, type Granting } from './source.decide.js';

/** What is known of a routine when its connections are looked up. */
export type Resting = Pick<RoutineRecord, 'org_id' | 'agent_id' | 'event'> & {
  /** The person that it runs as. */
  personId: string;
  providers: readonly string[];
};

/** The connections that routines rest on, read fresh (rules TE24, TE27). */
@Injectable()
export class RoutineSources {
  constructor(private readonly connections: GrantingConnections) {}

  async granting({ org_id: orgId, agent_id: agentId, event, personId, providers }: Resting): Promise<Granting> {
    const id = event?.integration_id;
    const isNamed = id !== undefined && (await this.connections.isGranting(orgId, id, agentId));
    const accounts: Record<string, string[]> = {};
    for (const provider of providers)
      accounts[provider] = await this.connections.ofPerson(orgId, { personId, provider, agentId });
    return { named: isNamed ? id : null, accounts };
  }

  /** As things are with the record. */
  of(routine: RoutineRecord): Promise<Granting> {
    return this.granting({ ...routine, personId: routine.run_as.id, providers: actingProviders(routine) });
  }

  async isRevoked(routine: RoutineRecord): Promise<boolean> {
    const { rests_on: restsOn = [] } = routine;
    return restsOn.length > 0 && isWithoutSource(restsOn, await this.of(routine));
  }
}
