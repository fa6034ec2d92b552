import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccessReadersModule, PrincipalReader } from '@aos/access/published';
import { AgentsController } from './agents/agents.controller.js';
import { AssignSkillsHandler, ChangeAgentHandler, CreateAgentHandler, DeleteAgentHandler, ProvisionInboxHandler } from './agents/agents.handlers.js';
import { GetAgentHandler, ListAgentsHandler, ListSkillAssignmentsHandler } from './agents/agents.queries.js';
import { People, Principals } from './definition/people.js';
import { DefinitionsReadingModule } from './definitions-reading.module.js';
import { SkillsController } from './skills/skills.controller.js';
import { CreateSkillHandler, DeleteSkillHandler, ReplaceSkillHandler } from './skills/skills.handlers.js';
import { GetSkillHandler, ListSkillsHandler } from './skills/skills.queries.js';
import { ToolsController } from './tools/tools.controller.js';
import { GetAgentToolsHandler } from './tools/tools.queries.js';

/** Agents and skills over HTTP: belongs to blueprint-service. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule],
  controllers: [AgentsController, SkillsController, ToolsController],
  providers: [
    { provide: Principals, useExisting: PrincipalReader }, People,
    AssignSkillsHandler, ChangeAgentHandler, CreateAgentHandler, DeleteAgentHandler, ProvisionInboxHandler, GetAgentHandler, ListAgentsHandler,
    ListSkillAssignmentsHandler, CreateSkillHandler, DeleteSkillHandler, ReplaceSkillHandler, GetSkillHandler, ListSkillsHandler, GetAgentToolsHandler,
  ],
  exports: [DefinitionsReadingModule],
})
export class DefinitionsModule {}
