/** What other contexts may use of definitions. */
export { DefinitionsReadingModule } from './definitions-reading.module.js';

// Records and their streams.
export type {
  AnyRecord,
  Binding,
  DefinitionRecord,
  DefinitionType,
  Named,
  Owner,
  Recorded,
  Visibility,
} from './definition/definition.events.js';
export type { DefinitionEvent, DefinitionKind, DefinitionState } from './definition/definition.state.js';
export type {
  AgentDefinition,
  AgentEvent,
  AgentStatus,
  ActionSelector,
  CompactionPolicy,
  MemoryContext,
  ModelRoute,
} from './agent/agent.events.js';
export type { SkillDefinition, SkillEvent } from './skill/skill.events.js';
export { agentKind, type AgentRecord as StoredAgent, type DesiredAgent } from './agent/agent.state.js';
export { skillKind, type DesiredSkill, type SkillRecord } from './skill/skill.state.js';
export type {
  ActionAnnotations,
  ActionDefinition,
  ActionEndpointKind,
  ActionEvent,
  InvocationFormat,
} from './action/action.events.js';
export type { Column, ColumnType, TableDefinition, TableEvent, TableSchema } from './table/table.events.js';
export { actionKind, secretOwner, type ActionRecord, type DesiredAction } from './action/action.state.js';
export { tableKind, type DesiredTable, type TableRecord } from './table/table.state.js';
export type { RowRecord } from './row/row.events.js';

// Look-ups.
export { ActionDirectory, type DispatchedAction, type SigningSecret } from './action/action-directory.js';
export { TableDirectory } from './table/table-directory.js';
export { NamedTableQueries } from './commands/named-tables.queries.js';
export { RecallQueries, type MemoryPartition } from './commands/recall.queries.js';
export { SchemaChecker, type SchemaFault } from './schemas/schema-checker.js';
export { AgentDirectory, type AgentRecord } from './agent/agent-directory.js';
export { SkillDirectory } from './skill/skill-directory.js';
export { ActionCatalog, type ActionSource } from './grants/action-catalog.js';
export type { CatalogAction } from './grants/catalog-action.wire.js';
export { actionWire } from './grants/tools.queries.js';
export {
  manifest,
  missingOf,
  narrowedBySkills,
  resolveGrant,
  selects,
  shownTo,
  withinAgentReach,
} from './grants/tools.decide.js';
export { timeoutSecondsDefault } from './agent/agent.limits.js';

// Commands.
export { DeleteTableRow, SaveTableRow, type RowToDelete, type SavedRow } from './commands/saved-rows.commands.js';
export { Forget, Remember } from './commands/remembering.commands.js';

// What is published to others.
export { memoryErasureEvents, type MemoryErasureEvent } from './memory-erasure/memory-erasure.state.js';
export { batchPublisher, rowPublisher } from './row/row.publisher.js';
export { memoryPublisher } from './memory/memory.publisher.js';

// Rules and writing, for blueprints: plan with the pure functions, write with the writer.
export {
  canSee,
  newCustody,
  postureFor,
  requireCustody,
  requireUnprotected,
  team,
  type Posture,
} from './definition/custody.decide.js';
export { newRecord, nextRecord, type ChangeStamp } from './definition/definition.decide.js';
export { differingFields } from './definition/differences.decide.js';
export { requireOwnTags, tagIssues } from './definition/definition.limits.js';
export { agentIssues } from './agent/agent.limits.js';
export { actionIssues, requireOwnActionName } from './action/action.limits.js';
export { ActionChecks } from './action/action-checks.js';
export { SigningSecrets } from './action/signing-secrets.js';
export { configuredAction, unconfiguredAction } from './action/action.state.js';
export { actionsProjection, customActionWire } from './action/action.projection.js';
export { tableIssues } from './table/table.limits.js';
export { configuredTable, newTableDefinition } from './table/table.state.js';
export { fixedFacts, newColumnIssues, type FixedFact } from './table/evolution.decide.js';
export { tableWire, tablesProjection } from './table/table.projection.js';
export { skillIssues } from './skill/skill.limits.js';
export { compactionPolicy, configured, unconfigured } from './agent/agent.state.js';
export { configuredSkill, emptySkill } from './skill/skill.state.js';
export { agentRecords, agentWire, agentsProjection } from './agent/agent.projection.js';
export { agentDecider } from './agent.decider.js';
export { skillWire, skillsProjection } from './skill/skill.projection.js';
export { bindingWord } from './definition/definition.projection.js';
export { Claims } from './names/claims.js';
export { definitionDecider } from './definition/definition.decider.js';
export { ofLive } from './definition/live.decide.js';
export { DefinitionStreams, type Latest } from './definition/definition-streams.js';
export { DefinitionLists } from './definition/definition-lists.js';
export { DefinitionWriter } from './names/definition-writer.js';
