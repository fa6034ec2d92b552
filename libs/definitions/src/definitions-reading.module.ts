import { Module, type OnModuleInit } from '@nestjs/common';
import { WriterProjections } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { ActionDirectory } from './action/action-directory.js';
import { actionsProjection } from './action/action.projection.js';
import { AgentsAsPrincipals } from './agent/agent-principals.js';
import { AgentDirectory } from './agent/agent-directory.js';
import { agentsProjection } from './agent/agent.projection.js';
import { DefinitionLists } from './definition/definition-lists.js';
import { DefinitionStreams } from './definition/definition-streams.js';
import { DefinitionWriter } from './names/definition-writer.js';
import { NamedTableQueries } from './commands/named-tables.queries.js';
import { RecallQueries } from './commands/recall.queries.js';
import { MemoryReader } from './memory/memory-reader.js';
import { memoriesProjection } from './memory/memory.projection.js';
import { Claims } from './names/claims.js';
import { BatchDecisions } from './row/batch-decisions.js';
import { RowReader } from './row/row-reader.js';
import { RowStreams } from './row/row-streams.js';
import { batchDeadlineProjection, rowsProjection } from './row/row.projection.js';
import { SchemaChecker } from './schemas/schema-checker.js';
import { SkillDirectory } from './skill/skill-directory.js';
import { skillsProjection } from './skill/skill.projection.js';
import { TableDirectory } from './table/table-directory.js';
import { tableEmptyingProjection, tablesProjection } from './table/table.projection.js';
import { ActionCatalog } from './grants/action-catalog.js';
import { ActionPermissions } from './grants/action-permissions.js';

const parts = [
  DefinitionStreams,
  DefinitionWriter,
  DefinitionLists,
  Claims,
  AgentDirectory,
  SkillDirectory,
  ActionCatalog,
  SchemaChecker,
  ActionDirectory,
  TableDirectory,
  BatchDecisions,
  RowStreams,
  RowReader,
  MemoryReader,
  NamedTableQueries,
  RecallQueries,
];

/** Definitions without their routes: what sessions and blueprints need of them, in whichever process they run. */
@Module({
  imports: [AccessReadersModule],
  providers: [...parts, ActionPermissions, AgentsAsPrincipals],
  exports: parts,
})
export class DefinitionsReadingModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(agentsProjection);
    this.projections.register(skillsProjection);
    this.projections.register(actionsProjection);
    this.projections.register(tablesProjection);
    this.projections.register(tableEmptyingProjection);
    this.projections.register(rowsProjection);
    this.projections.register(batchDeadlineProjection);
    this.projections.register(memoriesProjection);
  }
}
