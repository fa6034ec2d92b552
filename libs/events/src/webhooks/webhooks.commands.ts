import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';

type OfWebhook<Body = unknown> = { webhook_id: string; body: Body };

export class CreateWebhook extends CallerCommand<RequestBody<'createWebhook'>, Reply<'createWebhook'>> {}

export class UpdateWebhook extends CallerCommand<OfWebhook<RequestBody<'updateWebhook'>>, Reply<'updateWebhook'>> {}

export class DeleteWebhook extends CallerCommand<{ webhook_id: string }, void> {}

export class RotateWebhookSecret extends CallerCommand<{ webhook_id: string }, Reply<'rotateWebhookSecret'>> {}

export class EnableWebhook extends CallerCommand<OfWebhook<RequestBody<'enableWebhook'>>, Reply<'enableWebhook'>> {}

export class PingWebhook extends CallerCommand<{ webhook_id: string }, Reply<'pingWebhook'>> {}

export class RedeliverWebhookEvents extends CallerCommand<
  OfWebhook<RequestBody<'redeliverWebhookEvents'>>,
  Reply<'redeliverWebhookEvents'>
> {}
