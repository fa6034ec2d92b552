import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, EventStore, StoreUnavailable } from '@aos/kernel';
import {
  ResealActionSecrets,
  Sealer,
  resealStreams,
  serviceActor,
  type ResealAnswer,
  type Resealed,
} from '@aos/platform';
import { actionDecider } from '../action.decider.js';
import { actionKind } from '../action/action.state.js';
import { freshlySealed } from '../action/freshly-sealed.js';
import { DefinitionStreams } from '../definition/definition-streams.js';

const triesMax = 64;

/** Seals the secrets of actions anew when an operator asks for it. */
@CommandHandler(ResealActionSecrets)
export class ResealActionSecretsHandler implements ICommandHandler<ResealActionSecrets> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly sealer: Sealer,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  execute({ input: { after } }: ResealActionSecrets): Promise<ResealAnswer> {
    const { store, clock } = this;
    return resealStreams({ store, clock }, actionKind.category, after ?? null, (id) => this.reseal(id));
  }

  private async reseal(id: string): Promise<Resealed> {
    const orgId = await this.streams.organizationOf(actionKind, id);
    for (let tried = 0; orgId !== null && tried < triesMax; tried += 1) {
      const current = await this.streams.latest(actionKind, orgId, id);
      const signing = current?.record.wire.signing;
      if (!current || !signing || current.record.deleted_at !== null) return 'fresh';
      const record = freshlySealed(this.sealer, current.record);
      if (record === current.record) return this.sealer.isStale(signing.sealed) ? 'unreadable' : 'fresh';
      const actor = serviceActor(orgId, 'operator', `reseal-${id}`);
      const command = { record, revision: current.revision };
      if (await this.streams.decideUnmoved(actionDecider.resealSecrets, id, actor, command)) return 'resealed';
    }
    if (orgId === null) return 'fresh';
    throw new StoreUnavailable(`action ${id} changes again and again`);
  }
}
