import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WriterProjections, commandHandlersIn } from '@aos/platform';
import { EventsModule } from './events.module.js';
import { activeWebhooksProjection, webhooksProjection } from './webhook/webhook.projection.js';
import { WebhookSecrets } from './webhook/webhook-secrets.js';
import { HookReading } from './webhook-deliveries/hook-reading.js';
import { WebhookMeasures } from './webhook-deliveries/webhook-measures.js';
import { DeliveryParts, WebhookRunner } from './webhook-deliveries/webhook-runner.js';
import { WebhookSender } from './webhook-deliveries/webhook-sender.js';
import * as redelivery from './webhooks/redelivery.handlers.js';
import { WebhookChecks } from './webhooks/webhook-checks.js';
import { WebhookDirectory } from './webhooks/webhook-directory.js';
import { WebhookRoom } from './webhooks/webhook-room.js';
import * as resealing from './webhooks/webhook-resealing.handlers.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import * as webhooks from './webhooks/webhooks.handlers.js';
import { WebhookQueries } from './webhooks/webhooks.queries.js';

/** Web hooks: subscriptions of endpoints to the organization's events, and their deliveries. */
@Module({
  imports: [CqrsModule, EventsModule],
  controllers: [WebhooksController],
  providers: [
    WebhookSecrets,
    WebhookChecks,
    WebhookDirectory,
    WebhookRoom,
    WebhookQueries,
    HookReading,
    WebhookSender,
    WebhookMeasures,
    DeliveryParts,
    WebhookRunner,
    ...commandHandlersIn(webhooks),
    ...commandHandlersIn(redelivery),
    ...commandHandlersIn(resealing),
  ],
})
export class WebhooksModule {
  constructor(projections: WriterProjections) {
    projections.register(webhooksProjection);
    projections.register(activeWebhooksProjection);
  }
}
