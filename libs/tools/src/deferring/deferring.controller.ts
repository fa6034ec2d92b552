import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '@aos/kernel';
import { RulesBody } from '@aos/platform';
import { DeliveryResultDto } from './deferring.dto.js';
import { FinishDelivery, ReportDelivery, type Callback } from './deferring.commands.js';

/** Needs no key: the token of the call stands in its place (rule TE81). */
@Controller()
export class DeferringController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/deliveries/:delivery_id/result')
  @HttpCode(204)
  async finish(
    @Param('delivery_id') deliveryId: string,
    @Req() request: FastifyRequest,
    @RulesBody(DeliveryResultDto) body: DeliveryResultDto,
  ): Promise<void> {
    await this.commands.execute(new FinishDelivery(callbackOf(deliveryId, request), body));
  }

  @Post('/v1/deliveries/:delivery_id/progress')
  @HttpCode(204)
  async report(
    @Param('delivery_id') deliveryId: string,
    @Req() request: FastifyRequest,
    @Body() { progress }: { progress: JsonObject },
  ): Promise<void> {
    await this.commands.execute(new ReportDelivery(callbackOf(deliveryId, request), progress));
  }
}

function callbackOf(deliveryId: string, { headers: { authorization = '' } }: FastifyRequest): Callback {
  return { deliveryId, token: /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '' };
}
