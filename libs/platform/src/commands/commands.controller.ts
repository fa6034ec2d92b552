import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { badRequest, notFound, type Identity, type JsonObject } from '@aos/kernel';
import { Who } from '../http/rules/decorators.js';
import { RoutedCommands } from './routed-commands.js';

/** Where a service takes commands of the other services; never routed from outside. */
export const commandsPath = '/internal/commands/:name';
const deliveryIdCharactersMax = 256;

/** What a command carries over HTTP; its identity travels signed in a header. */
export interface CommandBody {
  delivery_id: string;
  payload: JsonObject;
}

@Controller()
export class CommandsController {
  constructor(private readonly routed: RoutedCommands) {}

  @Post(commandsPath)
  @HttpCode(200)
  handle(
    @Who() identity: Identity,
    @Param('name') name: string,
    @Body() body: Partial<CommandBody> | undefined,
  ): Promise<JsonObject> {
    const { delivery_id: deliveryId, payload } = body ?? {};
    if (typeof deliveryId !== 'string' || deliveryId === '' || deliveryId.length > deliveryIdCharactersMax)
      throw badRequest([{ path: '/delivery_id', message: 'is missing or too long' }]);
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
      throw badRequest([{ path: '/payload', message: 'is not an object' }]);
    if (!this.routed.has(name)) throw notFound('command');
    return this.routed.handle({ name, payload, identity, deliveryId });
  }
}
