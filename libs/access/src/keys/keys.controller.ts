import { Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who, warn } from '@aos/platform';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { CreateApiKeyBody } from './keys.dto.js';
import { CreateKey, RevokeKey } from './keys.handlers.js';
import { KeyQueries } from './keys.queries.js';

/** A caller may take it for a cap: the key does all that its principal may (rules A2, A27, G29). */
const roleUnused = { code: 'role_unused', text: 'role caps a key without principal_id; scope_role_id caps this one' };

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
  async create(
    @Who() who: Identity,
    @RulesBody(CreateApiKeyBody) body: CreateApiKeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'createAPIKey'>> {
    const key = await this.commands.execute(new CreateKey(who, body));
    if (body.role !== undefined && key.principal_id !== systemPrincipalId(who.orgId)) warn(reply, [roleUnused]);
    return key;
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
