import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { readSkillDocument } from './skill-document.js';
import { CreateSkill, DeleteSkill, ReplaceSkill } from './skills.handlers.js';
import { SkillQueries, wholeListMax } from './skills.queries.js';

@Controller()
export class SkillsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SkillQueries,
  ) {}

  @Post('/v1/skills')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: RequestBody<'createSkill'>): Promise<Reply<'createSkill'>> {
    return this.commands.execute(new CreateSkill(who, { body }));
  }

  @Post('/v1/skills/import')
  @HttpCode(201)
  import(@Who() who: Identity, @Body() body: RequestBody<'importSkill'>): Promise<Reply<'importSkill'>> {
    return this.commands.execute(new CreateSkill(who, { body: readSkillDocument(body.content, body.name) }));
  }

  /** The whole list, unless the request itself asks for pages (rule G3). */
  @Get('/v1/skills')
  list(
    @Who() who: Identity,
    @ContractQuery() filter: QueryOf<'listSkills'>,
    @Query() asked: Record<string, unknown>,
  ): Promise<Reply<'listSkills'>> {
    const paged = asked.limit !== undefined || asked.cursor !== undefined;
    return this.queries.list(who, paged ? filter : { ...filter, limit: wholeListMax });
  }

  @Get('/v1/skills/:skill_id')
  get(@Who() who: Identity, @Param('skill_id') skillId: string): Promise<Reply<'getSkill'>> {
    return this.queries.get(who, skillId);
  }

  @Put('/v1/skills/:skill_id')
  replace(
    @Who() who: Identity,
    @Param('skill_id') skillId: string,
    @Body() body: RequestBody<'updateSkill'>,
  ): Promise<Reply<'updateSkill'>> {
    return this.commands.execute(new ReplaceSkill(who, { skill_id: skillId, body }));
  }

  @Delete('/v1/skills/:skill_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('skill_id') skillId: string): Promise<void> {
    return this.commands.execute(new DeleteSkill(who, { skill_id: skillId }));
  }
}
