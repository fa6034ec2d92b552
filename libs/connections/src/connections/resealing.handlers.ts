import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, EventStore } from '@aos/kernel';
import { ResealConnectionSecrets, resealStreams, type ResealAnswer } from '@aos/platform';
import { ConnectionSecrets } from '../secret/connection-secrets.js';
import { secretKind } from '../secret/secret.state.js';

/** Seals the secrets of connections and providers anew when an operator asks for it. */
@CommandHandler(ResealConnectionSecrets)
export class ResealConnectionSecretsHandler implements ICommandHandler<ResealConnectionSecrets> {
  constructor(
    private readonly secrets: ConnectionSecrets,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  execute({ input: { after } }: ResealConnectionSecrets): Promise<ResealAnswer> {
    const { store, clock } = this;
    return resealStreams({ store, clock }, secretKind.category, after ?? null, (id) => this.secrets.reseal(id));
  }
}
