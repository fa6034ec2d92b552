import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { ChangeDefinition, CreateDefinition, DeleteDefinition } from '../resources/definitions.commands.js';
import { DefinitionQueries } from '../resources/definitions.queries.js';
import { skillResource } from '../resources/skill-resource.js';
import { readSkillDocument } from './skill-document.js';

/** Most rows of a list that is not paged; over 8 MiB it ends earlier, with more to come. */
const wholeListMax = 5000;

@Controller()
export class SkillsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: DefinitionQueries,
  ) {}

  @Post('/v1/skills')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: RequestBody<'createSkill'>): Promise<Reply<'createSkill'>> {
    return this.commands.execute(new CreateDefinition(who, { resource: skillResource, body }));
  }

  @Post('/v1/skills/import')
  @HttpCode(201)
  import(@Who() who: Identity, @Body() body: RequestBody<'importSkill'>): Promise<Reply<'importSkill'>> {
    const read = readSkillDocument(body.content, body.name);
    return this.commands.execute(new CreateDefinition(who, { resource: skillResource, body: read }));
  }

  /** The whole list, unless the request itself asks for pages (rule G3). */
  @Get('/v1/skills')
  list(
    @Who() who: Identity,
    @ContractQuery() filter: QueryOf<'listSkills'>,
    @Query() asked: Record<string, unknown>,
  ): Promise<Reply<'listSkills'>> {
    const paged = asked.limit !== undefined || asked.cursor !== undefined;
    return this.queries.list(skillResource, who, paged ? filter : { ...filter, limit: wholeListMax });
  }

  @Get('/v1/skills/:skill_id')
  get(@Who() who: Identity, @Param('skill_id') skillId: string): Promise<Reply<'getSkill'>> {
    return this.queries.get(skillResource, who, skillId);
  }

  @Put('/v1/skills/:skill_id')
  replace(
    @Who() who: Identity,
    @Param('skill_id') skillId: string,
    @Body() body: RequestBody<'updateSkill'>,
  ): Promise<Reply<'updateSkill'>> {
    return this.commands.execute(new ChangeDefinition(who, { resource: skillResource, ref: skillId, body }));
  }

  @Delete('/v1/skills/:skill_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('skill_id') skillId: string): Promise<void> {
    return this.commands.execute(new DeleteDefinition(who, { resource: skillResource, ref: skillId }));
  }
}
