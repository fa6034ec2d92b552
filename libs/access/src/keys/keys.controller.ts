import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity } from '@aos/kernel';
import { ContractQuery, CursorSeal, RulesBody, Who, listScope, type ListPage, type PageQuery } from '@aos/platform';
import { pageAnswer, pageAsked } from '../listing/answer.js';
import { CreateApiKeyBody } from './keys.dto.js';
import { CreateKey, RevokeKey } from './keys.handlers.js';
import { GetKey, ListKeys } from './keys.queries.js';
import type { ApiKeyView } from '../apikey/apikey.wire.js';

@Controller()
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly seal: CursorSeal,
  ) {}

  @Get('/v1/api-keys')
  async list(@Who() who: Identity, @ContractQuery() query: PageQuery): Promise<ListPage<ApiKeyView>> {
    const scope = listScope(who.orgId, 'api-keys');
    return pageAnswer(
      this.seal,
      scope,
      await this.queries.execute(new ListKeys(who.orgId, pageAsked(this.seal, scope, query))),
    );
  }

  @Post('/v1/api-keys')
  @HttpCode(201)
  create(
    @Who() who: Identity,
    @RulesBody(CreateApiKeyBody) body: CreateApiKeyBody,
  ): Promise<ApiKeyView & { key: string }> {
    return this.commands.execute(new CreateKey(who, body));
  }

  @Get('/v1/api-keys/:api_key_id')
  read(@Who() who: Identity, @Param('api_key_id') keyId: string): Promise<ApiKeyView> {
    return this.queries.execute(new GetKey(who.orgId, keyId));
  }

  @Delete('/v1/api-keys/:api_key_id')
  @HttpCode(204)
  revoke(@Who() who: Identity, @Param('api_key_id') keyId: string): Promise<void> {
    return this.commands.execute(new RevokeKey(who, keyId));
  }
}
