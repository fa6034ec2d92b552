import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity } from '@aos/kernel';
import { ContractQuery, CursorSeal, Who, listScope, type ListPage, type PageQuery } from '@aos/platform';
import { pageAnswer, wholeOrPage } from '../listing/answer.js';
import { AssignRole, UnassignRole } from './assignments.handlers.js';
import { ListAssignments } from './assignments.queries.js';
import type { AssignmentView } from '../principal/assignments.wire.js';

interface AssignmentsQuery extends PageQuery {
  principal_id?: string;
  role_id?: string;
}

@Controller()
export class AssignmentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly seal: CursorSeal,
  ) {}

  @Get('/v1/role-assignments')
  async list(
    @Who() who: Identity,
    @ContractQuery() query: AssignmentsQuery,
    @Query() sent: Record<string, unknown>,
  ): Promise<ListPage<AssignmentView>> {
    const { principal_id, role_id } = query;
    const scope = listScope(who.orgId, 'role-assignments', { principal_id, role_id });
    const filter = {
      ...(principal_id !== undefined && { principalId: principal_id }),
      ...(role_id !== undefined && { roleId: role_id }),
    };
    return pageAnswer(
      this.seal,
      scope,
      await this.queries.execute(new ListAssignments(who.orgId, filter, wholeOrPage(this.seal, scope, query, sent))),
    );
  }

  @Post('/v1/role-assignments')
  @HttpCode(201)
  assign(
    @Who() who: Identity,
    @Body() body: { principal_id: string; role_id?: string; role_name?: string },
  ): Promise<AssignmentView> {
    return this.commands.execute(new AssignRole(who, body));
  }

  @Delete('/v1/role-assignments/:assignment_id')
  @HttpCode(204)
  unassign(@Who() who: Identity, @Param('assignment_id') assignmentId: string): Promise<void> {
    return this.commands.execute(new UnassignRole(who, assignmentId));
  }
}
