import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity, PrincipalKind } from '@aos/kernel';
import { ContractQuery, CursorSeal, RulesBody, Who, listScope, type ListPage, type PageQuery } from '@aos/platform';
import { pageAnswer, wholeOrPage } from '../listing/answer.js';
import { CreatePrincipalBody, UpdatePrincipalBody } from './principals.dto.js';
import { CreatePrincipal, DeletePrincipal, UpdatePrincipal } from './principals.handlers.js';
import { GetPrincipal, ListPrincipals } from './principals.queries.js';
import type { PrincipalView } from '../principal/principal.wire.js';

interface PrincipalsQuery extends PageQuery {
  kind?: PrincipalKind;
  include_disabled?: boolean;
}

@Controller()
export class PrincipalsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly seal: CursorSeal,
  ) {}

  @Get('/v1/principals')
  async list(
    @Who() who: Identity,
    @ContractQuery() query: PrincipalsQuery,
    @Query() sent: Record<string, unknown>,
  ): Promise<ListPage<PrincipalView>> {
    const { kind, include_disabled = false } = query;
    const scope = listScope(who.orgId, 'principals', { kind, include_disabled });
    const filter = { includeDisabled: include_disabled, ...(kind !== undefined && { kind }) };
    return pageAnswer(
      this.seal,
      scope,
      await this.queries.execute(new ListPrincipals(who, filter, wholeOrPage(this.seal, scope, query, sent))),
    );
  }

  @Post('/v1/principals')
  @HttpCode(201)
  create(@Who() who: Identity, @RulesBody(CreatePrincipalBody) body: CreatePrincipalBody): Promise<PrincipalView> {
    return this.commands.execute(new CreatePrincipal(who, body));
  }

  @Get('/v1/principals/:principal_id')
  read(@Who() who: Identity, @Param('principal_id') principalId: string): Promise<PrincipalView> {
    return this.queries.execute(new GetPrincipal(who, principalId));
  }

  @Patch('/v1/principals/:principal_id')
  change(
    @Who() who: Identity,
    @Param('principal_id') principalId: string,
    @RulesBody(UpdatePrincipalBody) body: UpdatePrincipalBody,
  ): Promise<PrincipalView> {
    return this.commands.execute(new UpdatePrincipal(who, principalId, body));
  }

  @Delete('/v1/principals/:principal_id')
  @HttpCode(204)
  remove(@Who() who: Identity, @Param('principal_id') principalId: string): Promise<void> {
    return this.commands.execute(new DeletePrincipal(who, principalId));
  }
}
