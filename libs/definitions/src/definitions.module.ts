import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccessReadersModule, PrincipalReader } from '@aos/access/published';
import { ActionResealing } from './action/action-resealing.js';
import { ActionChecks } from './actions/action-checks.js';
import { ActionsController } from './actions/actions.controller.js';
import {
  ChangeActionHandler,
  CreateActionHandler,
  DeleteActionHandler,
  RotateActionSecretHandler,
} from './actions/actions.handlers.js';
import { GetActionHandler, ListActionsHandler } from './actions/actions.queries.js';
import { AgentsController } from './agents/agents.controller.js';
import {
  AssignSkillsHandler,
  ChangeAgentHandler,
  CreateAgentHandler,
  DeleteAgentHandler,
  ProvisionInboxHandler,
} from './agents/agents.handlers.js';
import { GetAgentHandler, ListAgentsHandler, ListSkillAssignmentsHandler } from './agents/agents.queries.js';
import { CatalogController } from './catalog/catalog.controller.js';
import {
  GetCatalogActionHandler,
  ListCatalogActionsHandler,
  ListCatalogModelsHandler,
} from './catalog/catalog.queries.js';
import { People, Principals } from './definition/people.js';
import { DefinitionsReadingModule } from './definitions-reading.module.js';
import { GatewayCommands } from './commands/gateway-commands.js';
import { MemoriesController } from './memories/memories.controller.js';
import {
  DeleteMemoryHandler,
  EraseMemoryHandler,
  GetMemoryHandler,
  ListMemoryChangesHandler,
  ListMemoryHandler,
  SaveMemoryHandler,
  SummarizeMemoryHandler,
} from './memories/memories.handlers.js';
import { MemoryChanges } from './memory/memory-changes.js';
import { MemoryChangesProjector } from './memory/memory-changes-projector.js';
import { MemoryErasure } from './memory-erasure/memory-erasure.js';
import { MemoryEntries } from './memory/memory-entries.js';
import { BatchDeadlines } from './row/batch-deadlines.js';
import { BulkInsert } from './row/bulk-insert.js';
import { DeletedTables } from './row/deleted-tables.js';
import { IdentityChange } from './row/identity-change.js';
import { Staging } from './row/staging.js';
import { TableRows } from './row/table-rows.js';
import { RowsController } from './rows/rows.controller.js';
import {
  DeleteRowHandler,
  InsertRowHandler,
  InsertRowsHandler,
  UpdateRowHandler,
  UpsertRowHandler,
} from './rows/rows.handlers.js';
import { GetRowHandler, QueryRowsHandler, SearchRowsHandler } from './rows/rows.queries.js';
import { SkillsController } from './skills/skills.controller.js';
import { CreateSkillHandler, DeleteSkillHandler, ReplaceSkillHandler } from './skills/skills.handlers.js';
import { GetSkillHandler, ListSkillsHandler } from './skills/skills.queries.js';
import { TablesController } from './tables/tables.controller.js';
import { ChangeTableHandler, CreateTableHandler, DeleteTableHandler } from './tables/tables.handlers.js';
import { GetTableHandler, GetTableStatsHandler, ListTablesHandler } from './tables/tables.queries.js';
import { ToolsController } from './grants/tools.controller.js';
import { GetAgentToolsHandler } from './grants/tools.queries.js';

const agents = [
  AssignSkillsHandler,
  ChangeAgentHandler,
  CreateAgentHandler,
  DeleteAgentHandler,
  ProvisionInboxHandler,
  GetAgentHandler,
  ListAgentsHandler,
  ListSkillAssignmentsHandler,
  GetAgentToolsHandler,
];
const skills = [CreateSkillHandler, DeleteSkillHandler, ReplaceSkillHandler, GetSkillHandler, ListSkillsHandler];
const actions = [
  ChangeActionHandler,
  CreateActionHandler,
  DeleteActionHandler,
  RotateActionSecretHandler,
  GetActionHandler,
  ListActionsHandler,
  GetCatalogActionHandler,
  ListCatalogActionsHandler,
  ListCatalogModelsHandler,
];
const tables = [
  ChangeTableHandler,
  CreateTableHandler,
  DeleteTableHandler,
  GetTableHandler,
  GetTableStatsHandler,
  ListTablesHandler,
  DeleteRowHandler,
  InsertRowHandler,
  InsertRowsHandler,
  UpdateRowHandler,
  UpsertRowHandler,
  GetRowHandler,
  QueryRowsHandler,
  SearchRowsHandler,
];
const writing = [People, ActionChecks, Staging, IdentityChange, TableRows, BulkInsert, MemoryEntries, MemoryChanges];
const memory = [
  DeleteMemoryHandler,
  EraseMemoryHandler,
  MemoryErasure,
  GetMemoryHandler,
  ListMemoryChangesHandler,
  ListMemoryHandler,
  SaveMemoryHandler,
  SummarizeMemoryHandler,
];

/** Agents, skills, actions, tables, rows and memory over HTTP: belongs to blueprint-service. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule],
  controllers: [
    AgentsController,
    SkillsController,
    ActionsController,
    CatalogController,
    TablesController,
    RowsController,
    MemoriesController,
    ToolsController,
  ],
  providers: [
    { provide: Principals, useExisting: PrincipalReader },
    ...writing,
    ActionResealing,
    BatchDeadlines,
    DeletedTables,
    GatewayCommands,
    MemoryChangesProjector,
    ...memory,
    ...agents,
    ...skills,
    ...actions,
    ...tables,
  ],
  exports: [DefinitionsReadingModule, ...writing],
})
export class DefinitionsModule {}
