import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity } from '@aos/kernel';
import { ContractQuery, CursorSeal, RulesBody, Who, listScope, type ListPage, type PageQuery } from '@aos/platform';
import { pageAnswer, pageAsked } from '../listing/answer.js';
import { CreateRoleBody, UpdateRoleBody } from './roles.dto.js';
import { CreateRole, DeleteRole, UpdateRole } from './roles.handlers.js';
import { GetRole, ListRoles } from './roles.queries.js';
import type { RoleView } from '../role/role.wire.js';

@Controller()
export class RolesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly seal: CursorSeal,
  ) {}

  @Get('/v1/roles')
  async list(@Who() who: Identity, @ContractQuery() query: PageQuery): Promise<ListPage<RoleView>> {
    const scope = listScope(who.orgId, 'roles');
    return pageAnswer(
      this.seal,
      scope,
      await this.queries.execute(new ListRoles(who.orgId, pageAsked(this.seal, scope, query))),
    );
  }

  @Post('/v1/roles')
  @HttpCode(201)
  create(@Who() who: Identity, @RulesBody(CreateRoleBody) body: CreateRoleBody): Promise<RoleView> {
    return this.commands.execute(new CreateRole(who, body));
  }

  @Get('/v1/roles/:role_id')
  read(@Who() who: Identity, @Param('role_id') roleId: string): Promise<RoleView> {
    return this.queries.execute(new GetRole(who.orgId, roleId));
  }

  @Patch('/v1/roles/:role_id')
  change(
    @Who() who: Identity,
    @Param('role_id') roleId: string,
    @RulesBody(UpdateRoleBody) body: UpdateRoleBody,
  ): Promise<RoleView> {
    return this.commands.execute(new UpdateRole(who, roleId, body));
  }

  @Delete('/v1/roles/:role_id')
  @HttpCode(204)
  remove(@Who() who: Identity, @Param('role_id') roleId: string): Promise<void> {
    return this.commands.execute(new DeleteRole(who, roleId));
  }
}
