import { Controller, Get } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { MeQueries } from './me.queries.js';

@Controller()
export class MeController {
  constructor(private readonly queries: MeQueries) {}

  @Get('/v1/me')
  read(@Who() who: Identity): Promise<Schema<'Me'>> {
    return this.queries.read(who);
  }
}
