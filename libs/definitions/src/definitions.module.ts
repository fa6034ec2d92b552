import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccessReadersModule } from '@aos/access/published';
import { commandHandlersIn } from '@aos/platform';
import { ActionsController } from './actions/actions.controller.js';
import * as actions from './actions/actions.handlers.js';
import * as resealing from './actions/resealing.handlers.js';
import { AgentsController } from './agents/agents.controller.js';
import * as agents from './agents/agents.handlers.js';
import { AgentQueries } from './agents/agents.queries.js';
import { ModelWarningQueries } from './agents/model-warnings.queries.js';
import { CatalogController } from './catalog/catalog.controller.js';
import { CatalogQueries } from './catalog/catalog.queries.js';
import { DefinitionsWritingModule } from './definitions-writing.module.js';
import * as remembering from './commands/remembering.handlers.js';
import * as savedRows from './commands/saved-rows.handlers.js';
import { MembersController } from './members/members.controller.js';
import * as members from './members/members.handlers.js';
import { MemberQueries } from './members/members.queries.js';
import { MemoriesController } from './memories/memories.controller.js';
import * as memories from './memories/memories.handlers.js';
import { MemoryQueries } from './memories/memories.queries.js';
import { MemoryChanges } from './memory/memory-changes.js';
import { MemoryChangesProjector } from './memory/memory-changes-projector.js';
import { OrderedMemoryChanges } from './memory/ordered-memory-changes.js';
import * as definitions from './resources/definitions.handlers.js';
import { DefinitionQueries } from './resources/definitions.queries.js';
import { BatchDeadlines } from './row/batch-deadlines.js';
import { BulkInsert } from './row/bulk-insert.js';
import { DeletedTables } from './row/deleted-tables.js';
import { IdentityChange } from './row/identity-change.js';
import { Staging } from './row/staging.js';
import { TableRows } from './row/table-rows.js';
import { RowsController } from './rows/rows.controller.js';
import * as rows from './rows/rows.handlers.js';
import { RowQueries } from './rows/rows.queries.js';
import { SkillsController } from './skills/skills.controller.js';
import { TablesController } from './tables/tables.controller.js';
import { TableQueries } from './tables/tables.queries.js';
import { ToolsController } from './grants/tools.controller.js';
import { ToolQueries } from './grants/tools.queries.js';

const commands = [definitions, agents, actions, resealing, rows, members, memories, savedRows, remembering].flatMap(
  (file) => commandHandlersIn(file),
);
const queries = [
  DefinitionQueries,
  AgentQueries,
  ModelWarningQueries,
  ToolQueries,
  CatalogQueries,
  TableQueries,
  RowQueries,
  MemberQueries,
  MemoryQueries,
];
const writing = [Staging, IdentityChange, TableRows, BulkInsert, MemoryChanges];

/** Agents, skills, actions, tables, rows and memory over HTTP: belongs to blueprint-service. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsWritingModule],
  controllers: [
    AgentsController,
    SkillsController,
    ActionsController,
    CatalogController,
    TablesController,
    RowsController,
    MembersController,
    MemoriesController,
    ToolsController,
  ],
  providers: [
    ...writing,
    BatchDeadlines,
    DeletedTables,
    MemoryChangesProjector,
    ...commands,
    ...queries,
    OrderedMemoryChanges,
  ],
  exports: [DefinitionsWritingModule, ...writing],
})
export class DefinitionsModule {}
