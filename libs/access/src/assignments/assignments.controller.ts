import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody, Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { AssignRole, UnassignRole } from './assignments.handlers.js';
import { AssignmentQueries } from './assignments.queries.js';

@Controller()
export class AssignmentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: AssignmentQueries,
  ) {}

  @Get('/v1/role-assignments')
  list(
    @Who() who: Identity,
    @ContractQuery() query: QueryOf<'listRoleAssignments'>,
    @Query() sent: Record<string, unknown>,
  ): Promise<Reply<'listRoleAssignments'>> {
    return this.queries.list(who, query, sent);
  }

  @Post('/v1/role-assignments')
  @HttpCode(201)
  assign(@Who() who: Identity, @Body() body: RequestBody<'createRoleAssignment'>): Promise<Schema<'RoleAssignment'>> {
    return this.commands.execute(new AssignRole(who, body));
  }

  @Delete('/v1/role-assignments/:assignment_id')
  @HttpCode(204)
  unassign(@Who() who: Identity, @Param('assignment_id') assignmentId: string): Promise<void> {
    return this.commands.execute(new UnassignRole(who, { assignment_id: assignmentId }));
  }
}
