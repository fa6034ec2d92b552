import { Injectable } from '@nestjs/common';
import { ReadStore, collectionOf } from '@aos/kernel';
import { ActivePrincipals } from '@aos/access/published';
import { ConnectionDirectory } from '../connection/connection-directory.js';
import type { ConnectionRecord } from '../connection/connection.events.js';
import { connectionsPerOrganizationMax } from '../connection/connection.limits.js';
import { connectionsProjection } from '../connection/connection.projection.js';

/** Connections that grant an agent, read fresh: for what rests on them (rule TE27). */
@Injectable()
export class GrantingConnections {
  constructor(
    private readonly readStore: ReadStore,
    private readonly directory: ConnectionDirectory,
    private readonly principals: ActivePrincipals,
  ) {}

  /** False for an id that names no connection, or one that is gone, grants the agent no more, or has no owner. */
  async isGranting(orgId: string, connectionId: string, agentId: string): Promise<boolean> {
    const connection = await this.directory.find(orgId, connectionId);
    if (connection === null || !grants(connection, agentId)) return false;
    return !(await this.principals.isOwnerGone(orgId, connection.owner));
  }

  /** The accounts of a person at a provider that grant the agent. */
  async ofPerson(
    orgId: string,
    { personId, provider, agentId }: { personId: string; provider: string; agentId: string },
  ): Promise<string[]> {
    const { rows } = await this.readStore.query({
      collection: collectionOf(connectionsProjection),
      scope: [orgId],
      where: [
        { index: 'owner', eq: personId },
        { index: 'provider', eq: provider },
      ],
      limit: connectionsPerOrganizationMax,
    });
    const found: string[] = [];
    for (const { key } of rows) if (await this.isGranting(orgId, key, agentId)) found.push(key);
    return found;
  }
}

function grants({ grants: { everyone, principal_ids: ids } }: ConnectionRecord, agentId: string): boolean {
  return everyone || ids.includes(agentId);
}
