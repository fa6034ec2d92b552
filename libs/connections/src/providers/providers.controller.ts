import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { DeleteProvider, SaveProvider } from './providers.commands.js';
import { ProviderQueries } from './providers.queries.js';

@Controller()
export class ProvidersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: ProviderQueries,
  ) {}

  @Get('/v1/providers')
  list(@Who() who: Identity, @ContractQuery() filter: QueryOf<'listProviders'>): Promise<Reply<'listProviders'>> {
    return this.queries.list(who, filter);
  }

  @Get('/v1/providers/:provider')
  get(@Who() who: Identity, @Param('provider') provider: string): Promise<Reply<'getProvider'>> {
    return this.queries.get(who, provider);
  }

  @Put('/v1/providers/:provider')
  save(
    @Who() who: Identity,
    @Param('provider') provider: string,
    @Body() body: RequestBody<'saveProvider'>,
  ): Promise<Reply<'saveProvider'>> {
    return this.commands.execute(new SaveProvider(who, { provider, body }));
  }

  @Delete('/v1/providers/:provider')
  @HttpCode(204)
  async delete(@Who() who: Identity, @Param('provider') provider: string): Promise<void> {
    await this.commands.execute(new DeleteProvider(who, { provider }));
  }
}
