import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import type { SkillBody } from '../skill/skill.state.js';
import { readSkillDocument } from './skill-document.js';
import { CreateSkill, DeleteSkill, ReplaceSkill } from './skills.handlers.js';
import { GetSkill, ListSkills, wholeListMax, type SkillFilter } from './skills.queries.js';

@Controller()
export class SkillsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('/v1/skills')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: SkillBody): Promise<JsonObject> {
    return this.commands.execute(new CreateSkill(who, body));
  }

  @Post('/v1/skills/import')
  @HttpCode(201)
  import(@Who() who: Identity, @Body() body: { content: string; name?: string }): Promise<JsonObject> {
    return this.commands.execute(new CreateSkill(who, readSkillDocument(body.content, body.name)));
  }

  /** The whole list, unless the request itself asks for pages (rule G3). */
  @Get('/v1/skills')
  list(
    @Who() who: Identity,
    @ContractQuery() filter: SkillFilter,
    @Query() asked: Record<string, unknown>,
  ): Promise<JsonObject> {
    const paged = asked.limit !== undefined || asked.cursor !== undefined;
    return this.queries.execute(new ListSkills(who, paged ? filter : { ...filter, limit: wholeListMax }));
  }

  @Get('/v1/skills/:skill_id')
  get(@Who() who: Identity, @Param('skill_id') skillId: string): Promise<JsonObject> {
    return this.queries.execute(new GetSkill(who, skillId));
  }

  @Put('/v1/skills/:skill_id')
  replace(@Who() who: Identity, @Param('skill_id') skillId: string, @Body() body: SkillBody): Promise<JsonObject> {
    return this.commands.execute(new ReplaceSkill(who, skillId, body));
  }

  @Delete('/v1/skills/:skill_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('skill_id') skillId: string): Promise<void> {
    return this.commands.execute(new DeleteSkill(who, skillId));
  }
}
