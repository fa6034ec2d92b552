import { Injectable } from '@nestjs/common';
import { ConnectionDirectory, ConnectionSecrets, type ConnectionRecord } from '@aos/connections/published';

/** A connection of the team that messages come and go by. */
export interface MessagingAccount {
  id: string;
  kind: ConnectionRecord['kind'];
  /** Of a channel: where answers go. */
  url: string | null;
  /** Of `smtp`: `host:port`. */
  host: string | null;
  username: string | null;
  /** Whether an agent or another principal may use it. */
  grants(principalId: string): boolean;
}

/** The connections that bindings name, read fresh. */
@Injectable()
export class MessagingAccounts {
  constructor(
    private readonly directory: ConnectionDirectory,
    private readonly secrets: ConnectionSecrets,
  ) {}

  /** Null for an id that is unknown, deleted, of another organization or of a person. */
  async find(orgId: string, connectionId: string): Promise<MessagingAccount | null> {
    const connection = await this.directory.find(orgId, connectionId);
    if (connection?.owner.kind !== 'team') return null;
    const { id, kind, url, hosts, username, grants } = connection;
    return {
      id,
      kind,
      url,
      host: hosts[0] ?? null,
      username,
      grants: (principalId) => grants.everyone || grants.principal_ids.includes(principalId),
    };
  }

  /** The secret in the clear, for one sending; null when none is stored. Throws `SealBroken`. */
  async secret(orgId: string, connectionId: string): Promise<string | null> {
    return (await this.secrets.opened(orgId, connectionId))?.secret ?? null;
  }
}
