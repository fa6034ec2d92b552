import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, Ids, ReadStore, Refusal, collectionOf, notFound, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, ReleaseWrites, actorOf, type Actor } from '@aos/platform';
import { requireSecret } from '../connections/headers.decide.js';
import { providerDecider } from '../provider.decider.js';
import { ProviderDirectory } from '../provider/provider-directory.js';
import type { ProviderRecord } from '../provider/provider.events.js';
import { providersPerOrganizationMax } from '../provider/provider.limits.js';
import { providersProjection } from '../provider/provider.projection.js';
import { providerId } from '../provider/provider.state.js';
import { providerWire } from '../provider/provider.wire.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';
import { ProviderChecks } from './provider-checks.js';
import { DeleteProvider, SaveProvider } from './providers.commands.js';

/**
 * Stores the client's secret, then the record that names its version: a process that dies in between leaves a secret
 * that is sent nowhere.
 *
 * Refuses  invalid_argument; plan_limit_exceeded {limit: providers}; conflict {reason: changed}; upgrade_pending.
 */
@CommandHandler(SaveProvider)
export class SaveProviderHandler implements ICommandHandler<SaveProvider> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: ProviderDirectory,
    private readonly checks: ProviderChecks,
    private readonly secrets: ConnectionSecrets,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { provider: name, body } }: SaveProvider): Promise<Reply<'saveProvider'>> {
    const secret = requireSecret('client_secret', body.client_secret);
    const fields = await this.checks.fields(who.orgId, body);
    const current = await this.current(who, name);
    if (!current) await this.requireRoom(who.orgId);
    const secretId = current?.secret_id ?? `prov_${this.ids.ulid()}`;
    const id = providerId(who.orgId, name);
    const saved = { id, org_id: who.orgId, provider: name, secret_id: secretId };
    const secretVersion = await this.stored(secretId, actorOf(who), secret);
    const command = {
      ...saved,
      secret_version: secretVersion,
      fields,
      by: who.principalId,
      now: rfc3339(this.clock.now()),
    };
    try {
      const { state } = await this.decisions.decide(providerDecider.saveProvider, id, actorOf(who), command);
      if (!state.provider) throw notFound('provider');
      return providerWire(state.provider);
    } catch (error) {
      if (!current && error instanceof Refusal) await this.secrets.erase(secretId, actorOf(who));
      throw error;
    }
  }

  /** A provider whose secret is erased is being deleted, or its deletion fell with its process: it is ended first. */
  private async current(who: Identity, name: string): Promise<ProviderRecord | null> {
    const found = await this.directory.find(who.orgId, name);
    if (!found || !(await this.secrets.facts(who.orgId, found.secret_id)).erased) return found;
    const command = { secretId: found.secret_id, by: who.principalId, now: rfc3339(this.clock.now()) };
    try {
      await this.decisions.decide(providerDecider.deleteProvider, found.id, actorOf(who), command);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error; // it ended meanwhile
    }
    return null;
  }

  private async stored(secretId: string, actor: Actor, secret: string): Promise<number> {
    try {
      return await this.secrets.put(secretId, actor, { secret });
    } catch (error) {
      if (error instanceof Refusal && error.code === 'not_found')
        throw new Refusal('conflict', { reason: 'changed' }, 'the provider was deleted meanwhile');
      throw error;
    }
  }

  /** Counts about as many as there are: two that are made at once may both get the last place. */
  private async requireRoom(orgId: string): Promise<void> {
    const max = providersPerOrganizationMax;
    const all = { collection: collectionOf(providersProjection), scope: [orgId] };
    if ((await this.readStore.count(all, max)) < max) return;
    throw new Refusal('plan_limit_exceeded', { limit: 'providers', max }, 'the organization has as many as it may');
  }
}

/** Erases the client's secret, then says so in the record. */
@CommandHandler(DeleteProvider)
export class DeleteProviderHandler implements ICommandHandler<DeleteProvider> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: ProviderDirectory,
    private readonly secrets: ConnectionSecrets,
    private readonly writes: ReleaseWrites,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; upgrade_pending; conflict {reason: changed}. */
  async execute({ who, input: { provider: name } }: DeleteProvider): Promise<undefined> {
    const current = await this.directory.find(who.orgId, name);
    if (!current) throw notFound('provider');
    this.writes.requireFeature('connections');
    await this.secrets.erase(current.secret_id, actorOf(who));
    const command = { secretId: current.secret_id, by: who.principalId, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(providerDecider.deleteProvider, current.id, actorOf(who), command);
    return undefined;
  }
}
