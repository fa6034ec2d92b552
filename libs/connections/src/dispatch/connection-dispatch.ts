import { Injectable } from '@nestjs/common';
import { StoreUnavailable } from '@aos/kernel';
import { SealBroken } from '@aos/platform';
import { ActivePrincipals } from '@aos/access/published';
import { AgentDirectory } from '@aos/definitions/published';
import { ConnectionDirectory } from '../connection/connection-directory.js';
import type { ConnectionOAuth, ConnectionRecord } from '../connection/connection.events.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';
import { AccessTokens, type TokenFault } from './access-tokens.js';
import {
  chosenConnection,
  isUnsure,
  type AgentUse,
  type CalledAction,
  type ChoiceFault,
  type DirectUse,
} from './choice.decide.js';
import { bearerOf, credentialsOf } from './credentials.decide.js';
import { KnownConnections, type Owner } from './known-connections.js';

/**
 * Who uses an account. `person`: whose accounts at the provider the turn may use now, null: no one's; asked only where
 * it matters.
 */
export type ConnectionUse =
  DirectUse | { kind: 'agent'; agentId: string; person: (provider: string) => Promise<string | null> };

/** What a call is made with, in the clear: its headers, and what is taken out of what comes back (`EchoFilter`). */
export interface UsedConnection {
  headers: Record<string, string>;
  secrets: readonly string[];
  /** After a 401: the same call with another access token. Null where there is none to be fetched. */
  renewed: (() => Promise<OpenedConnection>) | null;
}
export type DispatchFault = ChoiceFault | TokenFault | 'secret_unreadable';
export type OpenedConnection = UsedConnection | { fault: DispatchFault };

/** An access token that its endpoint refused. */
interface Refused {
  connectionId: string;
  attempt: number;
  secrets: readonly string[];
}

/** Accounts for calls, chosen and opened when a call is dispatched: of an account nothing is kept between two calls. */
@Injectable()
export class ConnectionDispatch {
  constructor(
    private readonly known: KnownConnections,
    private readonly directory: ConnectionDirectory,
    private readonly secrets: ConnectionSecrets,
    private readonly tokens: AccessTokens,
    private readonly agents: AgentDirectory,
    private readonly principals: ActivePrincipals,
  ) {}

  /** Gives a fault for the model where no account may be used. Throws `StoreUnavailable`. */
  open(orgId: string, action: CalledAction, use: ConnectionUse): Promise<OpenedConnection> {
    return this.opened(orgId, action, use, null);
  }

  private async opened(
    orgId: string,
    action: CalledAction,
    use: ConnectionUse,
    refused: Refused | null,
  ): Promise<OpenedConnection> {
    const { ended, ...judged } = await this.judged(orgId, action, use);
    const { ids, isRemembered } = await this.known.of(orgId, action.provider, ownersFor(judged));
    const live = await this.live(orgId, ids);
    const granting = ended ? live.filter(({ owner }) => owner.kind === 'team') : live;
    const choice = chosenConnection(action, judged, granting);
    if (isRemembered && isUnsure(choice, action, judged))
      throw new StoreUnavailable('the connections of the provider cannot be listed');
    if ('fault' in choice) return choice;
    const { connection } = choice;
    try {
      if (connection.oauth) {
        const before = refused?.connectionId === connection.id ? refused : null;
        return await this.withToken(connection, connection.oauth, before, (after) =>
          this.opened(orgId, action, use, after),
        );
      }
      const opened = await this.secrets.opened(orgId, connection.id);
      const credentials = opened && credentialsOf(connection, opened);
      if (!credentials) return { fault: 'connection_not_granted' };
      return { ...credentials, renewed: null };
    } catch (error) {
      if (error instanceof SealBroken) return { fault: 'secret_unreadable' };
      throw error;
    }
  }

  private async withToken(
    connection: ConnectionRecord,
    oauth: ConnectionOAuth,
    refused: Refused | null,
    again: (refused: Refused) => Promise<OpenedConnection>,
  ): Promise<OpenedConnection> {
    const got = await this.tokens.of(connection, oauth, refused?.attempt);
    if ('fault' in got) return got;
    const { headers, secrets } = bearerOf(got.token);
    const all = [...secrets, ...(refused?.secrets ?? [])];
    const renewed = () => again({ connectionId: connection.id, attempt: got.attempt, secrets: all });
    return { headers, secrets: all, renewed };
  }

  private async judged(orgId: string, { provider }: CalledAction, use: ConnectionUse) {
    if (use.kind === 'direct') return { ...use, ended: false };
    const agent = await this.agents.agent(orgId, use.agentId);
    const rules = agent && !agent.deleted ? agent.wire.integration_access : [];
    const rule = rules.find((each) => each.provider === provider);
    const mayBePersonal = rule !== undefined && (rule.act_as_user === true || rule.pin !== undefined);
    const person = mayBePersonal ? await use.person(provider) : null;
    // another owner has the agent, and the grants of persons are still being ended (rule TE10)
    const ended = agent?.follow_ups?.some(({ ends_grants: ends }) => ends) === true;
    return { kind: use.kind, agentId: use.agentId, rules, person, ended };
  }

  /** Each is read fresh from its stream. A person who is disabled or gone has none. */
  private async live(orgId: string, ids: readonly string[]): Promise<ConnectionRecord[]> {
    const found = await Promise.all(ids.map((id) => this.usable(orgId, id)));
    return found.filter((connection) => connection !== null);
  }

  private async usable(orgId: string, connectionId: string): Promise<ConnectionRecord | null> {
    const connection = await this.directory.find(orgId, connectionId);
    return connection && !(await this.principals.isOwnerGone(orgId, connection.owner)) ? connection : null;
  }
}

/** Whose connections a choice looks at: an agent's has the team's and the person's own, a direct one all that grant. */
function ownersFor(use: AgentUse | DirectUse): readonly Owner[] | null {
  if (use.kind === 'direct') return null;
  const team: Owner = { kind: 'team', id: null };
  return use.person === null ? [team] : [team, { kind: 'person', id: use.person }];
}
