import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, Ids, ReadStore, Refusal, collectionOf, rfc3339 } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { connectionDecider } from '../connection.decider.js';
import type { ConnectionKind, ConnectionRecord } from '../connection/connection.events.js';
import { connectionsPerOrganizationMax } from '../connection/connection.limits.js';
import { connectionsProjection } from '../connection/connection.projection.js';
import { connectionWire } from '../connection/connection.wire.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';
import type { OpenedSecrets } from '../secret/secret.events.js';
import {
  CreateConnection,
  DeleteConnection,
  GrantConnection,
  RotateConnection,
  UpdateConnection,
} from './connections.commands.js';
import { ownerOf } from './connections.decide.js';
import { Grantees } from './grantees.js';
import { requireHeaders, requireSecret } from './headers.decide.js';
import { HostChecks } from './host-checks.js';
import { MendedConnections } from './mended-connections.js';
import { NewConnections } from './new-connections.js';
import { OwnHeaders } from './own-headers.js';

const madeSecretBytes = 32;

/** The values to seal, and the one that the caller is shown because the service made it. */
interface NewSecret {
  values: OpenedSecrets;
  shown: { signing_secret?: string };
}

/**
 * Refuses invalid_argument for a secret that is missing or cannot be used; conflict {reason: kind} for a kind that has
 * none.
 */
function secretOf(
  kind: ConnectionKind,
  { secret, headers }: { secret?: string; headers?: Record<string, string> },
  ids: Ids,
): NewSecret {
  if (kind === 'oauth2_authorization_code')
    throw new Refusal(
      'conflict',
      { reason: 'kind' },
      'an account that its provider authorizes has no secret to replace',
    );
  if (kind === 'headers') return { values: requireHeaders(headers), shown: {} };
  if (kind !== 'channel_webhook') return { values: { secret: requireSecret('secret', secret) }, shown: {} };
  const made = `whsec_${Buffer.from(ids.randomBytes(madeSecretBytes)).toString('base64')}`;
  return { values: { secret: made }, shown: { signing_secret: made } };
}

/**
 * Stores the secret, then the record that tells of it.
 *
 * Refuses  invalid_argument; permission_denied for the team's without administration; plan_limit_exceeded {limit}.
 */
@CommandHandler(CreateConnection)
export class CreateConnectionHandler implements ICommandHandler<CreateConnection> {
  constructor(
    private readonly decisions: Decisions,
    private readonly secrets: ConnectionSecrets,
    private readonly wanted: NewConnections,
    private readonly ownHeaders: OwnHeaders,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: body }: CreateConnection): Promise<Reply<'createConnection'>> {
    const { kind } = body;
    const owner = ownerOf(kind, body.owner, who);
    this.ownHeaders.refuse(body);
    const { oauth, ...fields } = await this.wanted.of(who.orgId, body);
    const isAuthorized = kind !== 'oauth2_authorization_code';
    const { values, shown } = isAuthorized ? secretOf(kind, body, this.ids) : { values: null, shown: {} };
    await this.requireRoom(who.orgId);
    const id = `conn_${this.ids.ulid()}`;
    const now = rfc3339(this.clock.now());
    const connection: ConnectionRecord = {
      id,
      org_id: who.orgId,
      name: body.name,
      kind,
      provider: body.provider ?? null,
      owner,
      ...fields,
      header_names: kind === 'headers' && values ? Object.keys(values).sort() : [],
      secret_version: values ? await this.secrets.put(id, actorOf(who), values) : 0,
      status: isAuthorized ? 'active' : 'needs_authorization',
      grants: { principal_ids: [], everyone: false, actions: [] },
      ...(oauth && { oauth }),
      created_by: who.principalId,
      created_at: now,
      updated_by: who.principalId,
      updated_at: now,
      deleted_at: null,
    };
    await this.decisions.decide(connectionDecider.createConnection, id, actorOf(who), connection);
    return { ...connectionWire(connection), ...shown };
  }

  /** Counts about as many as there are: two that are made at once may both get the last place. */
  private async requireRoom(orgId: string): Promise<void> {
    const max = connectionsPerOrganizationMax;
    const all = { collection: collectionOf(connectionsProjection), scope: [orgId] };
    if ((await this.readStore.count(all, max)) < max) return;
    throw new Refusal(
      'plan_limit_exceeded',
      { limit: 'connections', max },
      'the organization has as many connections as it may',
    );
  }
}

@CommandHandler(UpdateConnection)
export class UpdateConnectionHandler implements ICommandHandler<UpdateConnection> {
  constructor(
    private readonly decisions: Decisions,
    private readonly mended: MendedConnections,
    private readonly hosts: HostChecks,
    private readonly ownHeaders: OwnHeaders,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; permission_denied; invalid_argument as `fieldsOf`. */
  async execute({ who, input: { connection_id: id, body } }: UpdateConnection): Promise<Reply<'updateConnection'>> {
    const seen = await this.mended.managed(who, id);
    const { kind } = seen;
    this.ownHeaders.refuse(body);
    if (kind === 'oauth2_client_credentials' && body.token_endpoint !== undefined)
      this.hosts.requireAddress('token_endpoint', body.token_endpoint);
    const isAuthorized = kind === 'oauth2_authorization_code';
    const change = { ...body, hosts: isAuthorized ? null : this.hosts.normal(kind, body.hosts) };
    const command = { change, caller: who, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(connectionDecider.changeConnection, id, actorOf(who), command);
    return connectionWire(await this.mended.visible(who, id));
  }
}

@CommandHandler(RotateConnection)
export class RotateConnectionHandler implements ICommandHandler<RotateConnection> {
  constructor(
    private readonly mended: MendedConnections,
    private readonly secrets: ConnectionSecrets,
    private readonly ownHeaders: OwnHeaders,
    private readonly ids: Ids,
  ) {}

  /** Refuses not_found; permission_denied; conflict {reason: kind}; invalid_argument for a secret of no use. */
  async execute({ who, input: { connection_id: id, body } }: RotateConnection): Promise<Reply<'rotateConnection'>> {
    const { kind } = await this.mended.managed(who, id);
    this.ownHeaders.refuse(body);
    const { values, shown } = secretOf(kind, body, this.ids);
    await this.secrets.put(id, actorOf(who), values);
    return { ...connectionWire(await this.mended.visible(who, id)), ...shown };
  }
}

@CommandHandler(GrantConnection)
export class GrantConnectionHandler implements ICommandHandler<GrantConnection> {
  constructor(
    private readonly decisions: Decisions,
    private readonly mended: MendedConnections,
    private readonly grantees: Grantees,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; permission_denied; invalid_argument for a principal that is not there, or `everyone`. */
  async execute({
    who,
    input: { connection_id: id, body },
  }: GrantConnection): Promise<Reply<'replaceConnectionGrants'>> {
    const seen = await this.mended.managed(who, id);
    const grants = await this.grantees.of(who, seen, body);
    const command = { grants, caller: who, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(connectionDecider.grantConnection, id, actorOf(who), command);
    return connectionWire(await this.mended.visible(who, id));
  }
}

/** Erases the secret, then says so in the record: a process that dies in between leaves nothing that could be used. */
@CommandHandler(DeleteConnection)
export class DeleteConnectionHandler implements ICommandHandler<DeleteConnection> {
  constructor(
    private readonly decisions: Decisions,
    private readonly mended: MendedConnections,
    private readonly secrets: ConnectionSecrets,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; permission_denied. */
  async execute({ who, input: { connection_id: id } }: DeleteConnection): Promise<undefined> {
    await this.mended.managed(who, id);
    await this.secrets.erase(id, actorOf(who));
    const { version } = await this.secrets.facts(who.orgId, id);
    const command = { caller: who, now: rfc3339(this.clock.now()), version };
    await this.decisions.decide(connectionDecider.deleteConnection, id, actorOf(who), command);
    return undefined;
  }
}
