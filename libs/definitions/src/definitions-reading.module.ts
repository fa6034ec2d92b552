import { Module, type OnModuleInit } from '@nestjs/common';
import { WriterProjections } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { ActionDirectory } from './action/action-directory.js';
import { AgentsAsPrincipals } from './agent/agent-principals.js';
import { followUpsProjection } from './agent/follow-ups.projection.js';
import { AgentDirectory } from './agent/agent-directory.js';
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
import { resourceKinds } from './resources/resource-kinds.js';
import { SchemaChecker } from './schemas/schema-checker.js';
import { SkillDirectory } from './skill/skill-directory.js';
import { TableDirectory } from './table/table-directory.js';
import { tableEmptyingProjection } from './table/table.projection.js';
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
    for (const { projection } of resourceKinds) this.projections.register(projection);
    this.projections.register(followUpsProjection);
    this.projections.register(tableEmptyingProjection);
    this.projections.register(rowsProjection);
    this.projections.register(batchDeadlineProjection);
    this.projections.register(memoriesProjection);
  }
}
