import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, EventStore, StoreUnavailable } from '@aos/kernel';
import {
  Decisions,
  ResealWebhookSecrets,
  resealStreams,
  serviceActor,
  type ResealAnswer,
  type Resealed,
} from '@aos/platform';
import { webhookDecider } from '../webhook.decider.js';
import { WebhookSecrets } from '../webhook/webhook-secrets.js';
import { webhookKind } from '../webhook/webhook.state.js';

const triesMax = 64;

/** Seals the secrets of web hooks anew when an operator asks for it. */
@CommandHandler(ResealWebhookSecrets)
export class ResealWebhookSecretsHandler implements ICommandHandler<ResealWebhookSecrets> {
  constructor(
    private readonly decisions: Decisions,
    private readonly secrets: WebhookSecrets,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  execute({ input: { after } }: ResealWebhookSecrets): Promise<ResealAnswer> {
    const { store, clock } = this;
    return resealStreams({ store, clock }, webhookKind.category, after ?? null, (id) => this.reseal(id));
  }

  private async reseal(id: string): Promise<Resealed> {
    for (let tried = 0; tried < triesMax; tried += 1) {
      const { state } = await this.decisions.load(webhookKind, id);
      const { webhook, isDeleted } = state;
      if (!webhook || isDeleted) return 'fresh';
      const signing = this.secrets.renewed(webhook, this.clock.now());
      if (signing === 'unreadable') return 'unreadable';
      if (signing === webhook.signing) return 'fresh';
      const actor = serviceActor(webhook.org_id, 'operator', `reseal-${id}`);
      const command = { before: webhook.signing, signing };
      const { events } = await this.decisions.decide(webhookDecider.resealWebhook, id, actor, command);
      if (events.length > 0) return 'resealed';
    }
    throw new StoreUnavailable(`web hook ${id} changes again and again`);
  }
}
