import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { GetMe, type MeView } from './me.queries.js';

@Controller()
export class MeController {
  constructor(private readonly queries: QueryBus) {}

  @Get('/v1/me')
  read(@Who() who: Identity): Promise<MeView> {
    return this.queries.execute(new GetMe(who));
  }
}
