import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { CreateRoleBody, UpdateRoleBody } from './roles.dto.js';
import { CreateRole, DeleteRole, UpdateRole } from './roles.handlers.js';
import { RoleQueries } from './roles.queries.js';

@Controller()
export class RolesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: RoleQueries,
  ) {}

  @Get('/v1/roles')
  list(@Who() who: Identity, @ContractQuery() query: QueryOf<'listRoles'>): Promise<Reply<'listRoles'>> {
    return this.queries.list(who, query);
  }

  @Post('/v1/roles')
  @HttpCode(201)
  create(@Who() who: Identity, @RulesBody(CreateRoleBody) body: CreateRoleBody): Promise<Schema<'Role'>> {
    return this.commands.execute(new CreateRole(who, body));
  }

  @Get('/v1/roles/:role_id')
  read(@Who() who: Identity, @Param('role_id') roleId: string): Promise<Schema<'Role'>> {
    return this.queries.get(who, roleId);
  }

  @Patch('/v1/roles/:role_id')
  change(
    @Who() who: Identity,
    @Param('role_id') roleId: string,
    @RulesBody(UpdateRoleBody) body: UpdateRoleBody,
  ): Promise<Schema<'Role'>> {
    return this.commands.execute(new UpdateRole(who, { role_id: roleId, body }));
  }

  @Delete('/v1/roles/:role_id')
  @HttpCode(204)
  remove(@Who() who: Identity, @Param('role_id') roleId: string): Promise<void> {
    return this.commands.execute(new DeleteRole(who, { role_id: roleId }));
  }
}
