import { Body, Controller, Param, Patch } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { ChangeOwnership } from './ownership.commands.js';

@Controller()
export class OwnershipController {
  constructor(private readonly commands: CommandBus) {}

  @Patch('/v1/resources/:resource_type/:resource_id/ownership')
  change(
    @Who() who: Identity,
    @Param('resource_type') type: string,
    @Param('resource_id') id: string,
    @Body() body: RequestBody<'updateResourceOwnership'>,
  ): Promise<Reply<'updateResourceOwnership'>> {
    return this.commands.execute(new ChangeOwnership(who, { resource_type: type, resource_id: id, body }));
  }
}
