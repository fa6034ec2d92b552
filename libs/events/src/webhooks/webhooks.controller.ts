import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import {
  CreateWebhook,
  DeleteWebhook,
  EnableWebhook,
  PingWebhook,
  RedeliverWebhookEvents,
  RotateWebhookSecret,
  UpdateWebhook,
} from './webhooks.commands.js';
import { WebhookQueries } from './webhooks.queries.js';

/** Endpoints that get the organization's events. */
@Controller()
export class WebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: WebhookQueries,
  ) {}

  @Get('/v1/webhooks')
  list(@Who() who: Identity, @ContractQuery() query: QueryOf<'listWebhooks'>): Promise<Reply<'listWebhooks'>> {
    return this.queries.list(who, query);
  }

  @Post('/v1/webhooks')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: RequestBody<'createWebhook'>): Promise<Reply<'createWebhook'>> {
    return this.commands.execute(new CreateWebhook(who, body));
  }

  @Get('/v1/webhooks/:webhook_id')
  get(@Who() who: Identity, @Param('webhook_id') id: string): Promise<Reply<'getWebhook'>> {
    return this.queries.get(who, id);
  }

  @Patch('/v1/webhooks/:webhook_id')
  update(
    @Who() who: Identity,
    @Param('webhook_id') id: string,
    @Body() body: RequestBody<'updateWebhook'>,
  ): Promise<Reply<'updateWebhook'>> {
    return this.commands.execute(new UpdateWebhook(who, { webhook_id: id, body }));
  }

  @Delete('/v1/webhooks/:webhook_id')
  @HttpCode(204)
  remove(@Who() who: Identity, @Param('webhook_id') id: string): Promise<void> {
    return this.commands.execute(new DeleteWebhook(who, { webhook_id: id }));
  }

  @Post('/v1/webhooks/:webhook_id/rotate')
  @HttpCode(200)
  rotate(@Who() who: Identity, @Param('webhook_id') id: string): Promise<Reply<'rotateWebhookSecret'>> {
    return this.commands.execute(new RotateWebhookSecret(who, { webhook_id: id }));
  }

  @Post('/v1/webhooks/:webhook_id/ping')
  @HttpCode(200)
  ping(@Who() who: Identity, @Param('webhook_id') id: string): Promise<Reply<'pingWebhook'>> {
    return this.commands.execute(new PingWebhook(who, { webhook_id: id }));
  }

  @Post('/v1/webhooks/:webhook_id/enable')
  @HttpCode(200)
  enable(
    @Who() who: Identity,
    @Param('webhook_id') id: string,
    @Body() body: RequestBody<'enableWebhook'>,
  ): Promise<Reply<'enableWebhook'>> {
    return this.commands.execute(new EnableWebhook(who, { webhook_id: id, body }));
  }

  @Post('/v1/webhooks/:webhook_id/redeliver')
  @HttpCode(202)
  redeliver(
    @Who() who: Identity,
    @Param('webhook_id') id: string,
    @Body() body: RequestBody<'redeliverWebhookEvents'>,
  ): Promise<Reply<'redeliverWebhookEvents'>> {
    return this.commands.execute(new RedeliverWebhookEvents(who, { webhook_id: id, body }));
  }

  @Get('/v1/webhooks/:webhook_id/deliveries')
  deliveries(@Who() who: Identity, @Param('webhook_id') id: string): Promise<Reply<'listWebhookDeliveries'>> {
    return this.queries.deliveries(who, id);
  }
}
