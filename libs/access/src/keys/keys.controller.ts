import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { CreateApiKeyBody } from './keys.dto.js';
import { CreateKey, RevokeKey } from './keys.handlers.js';
import { KeyQueries } from './keys.queries.js';

@Controller()
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: KeyQueries,
  ) {}

  @Get('/v1/api-keys')
  list(@Who() who: Identity, @ContractQuery() query: QueryOf<'listAPIKeys'>): Promise<Reply<'listAPIKeys'>> {
    return this.queries.list(who, query);
  }

  @Post('/v1/api-keys')
  @HttpCode(201)
  create(@Who() who: Identity, @RulesBody(CreateApiKeyBody) body: CreateApiKeyBody): Promise<Reply<'createAPIKey'>> {
    return this.commands.execute(new CreateKey(who, body));
  }

  @Get('/v1/api-keys/:api_key_id')
  read(@Who() who: Identity, @Param('api_key_id') keyId: string): Promise<Schema<'APIKey'>> {
    return this.queries.get(who, keyId);
  }

  @Delete('/v1/api-keys/:api_key_id')
  @HttpCode(204)
  revoke(@Who() who: Identity, @Param('api_key_id') keyId: string): Promise<void> {
    return this.commands.execute(new RevokeKey(who, { api_key_id: keyId }));
  }
}
