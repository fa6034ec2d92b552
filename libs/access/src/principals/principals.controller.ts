import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { CreatePrincipalBody, UpdatePrincipalBody } from './principals.dto.js';
import { CreatePrincipal, DeletePrincipal, UpdatePrincipal } from './principals.handlers.js';
import { PrincipalQueries } from './principals.queries.js';

@Controller()
export class PrincipalsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: PrincipalQueries,
  ) {}

  @Get('/v1/principals')
  list(
    @Who() who: Identity,
    @ContractQuery() query: QueryOf<'listPrincipals'>,
    @Query() sent: Record<string, unknown>,
  ): Promise<Reply<'listPrincipals'>> {
    return this.queries.list(who, query, sent);
  }

  @Post('/v1/principals')
  @HttpCode(201)
  create(
    @Who() who: Identity,
    @RulesBody(CreatePrincipalBody) body: CreatePrincipalBody,
  ): Promise<Schema<'Principal'>> {
    return this.commands.execute(new CreatePrincipal(who, body));
  }

  @Get('/v1/principals/:principal_id')
  read(@Who() who: Identity, @Param('principal_id') principalId: string): Promise<Schema<'Principal'>> {
    return this.queries.get(who, principalId);
  }

  @Patch('/v1/principals/:principal_id')
  change(
    @Who() who: Identity,
    @Param('principal_id') principalId: string,
    @RulesBody(UpdatePrincipalBody) body: UpdatePrincipalBody,
  ): Promise<Schema<'Principal'>> {
    return this.commands.execute(new UpdatePrincipal(who, { principal_id: principalId, body }));
  }

  @Delete('/v1/principals/:principal_id')
  @HttpCode(204)
  remove(@Who() who: Identity, @Param('principal_id') principalId: string): Promise<void> {
    return this.commands.execute(new DeletePrincipal(who, { principal_id: principalId }));
  }
}
