/** What other contexts may use of definitions. */
export { DefinitionsReadingModule } from './definitions-reading.module.js';

// Records, as they are stored.
export type { ActionAnnotations, ActionEndpointKind, InvocationFormat } from './action/action.events.js';
export type { ActionRecord } from './action/action.state.js';

// Look-ups.
export { ActionDirectory, type DispatchedAction, type SigningSecret } from './action/action-directory.js';
export { TableDirectory } from './table/table-directory.js';
export { NamedTableQueries } from './commands/named-tables.queries.js';
export { RecallQueries, type MemoryPartition } from './commands/recall.queries.js';
export { SchemaChecker } from './schemas/schema-checker.js';
export { AgentDirectory, type AgentRecord } from './agent/agent-directory.js';
export { SkillDirectory } from './skill/skill-directory.js';
export { ActionCatalog, type ActionSource } from './grants/action-catalog.js';
export type { CatalogAction } from './grants/catalog-action.wire.js';
export { missingOf, narrowedBySkills, resolveGrant, shownTo, withinAgentReach } from './grants/tools.decide.js';
export { canSee, changedAudience, mayChange, newCustody, postureFor } from './definition/custody.decide.js';

// Owner and audience, for the context that changes them of all things.
export { custodyAfter, narrows } from './definition/transfer.decide.js';
export type { Disposition, FollowUp } from './definition/definition.events.js';
export { People } from './definition/people.js';
export { FollowUps, type FollowUpCarrier } from './agent/follow-ups.js';
export { followUpHandler } from './agent/follow-ups.projection.js';
export { CustodyWriter } from './resources/custody-writer.js';
export { MemoryErasure } from './memory-erasure/memory-erasure.js';
export { MemoryReader } from './memory/memory-reader.js';

// Commands.
export { DeleteTableRow, SaveTableRow, type RowToDelete, type SavedRow } from './commands/saved-rows.commands.js';
export { Forget, Remember } from './commands/remembering.commands.js';

// What is published to others.
export { resourceAudits } from './resources/resource-audits.js';
export { promotionAudit } from './memory/memory.audit.js';
export { memoryAudit } from './memory-erasure/memory-erasure.audit.js';
export { batchPublisher, rowPublisher } from './row/row.publisher.js';
export { memoryPublisher } from './memory/memory.publisher.js';

// For blueprints: the kinds, the rules of all of them, and the writer.
export { DefinitionsWritingModule } from './definitions-writing.module.js';
export { ResourceServices } from './resources/resource-services.js';
export type { AnyKind, Entry, Reference } from './resources/resource-kind.js';
export { resourceKindOf, resourceKinds } from './resources/resource-kinds.js';
export type { AnyRecord, Binding, DefinitionType } from './definition/definition.events.js';
export type { DefinitionEvent } from './definition/definition.state.js';
export { requireCustody, requireUnprotected, team } from './definition/custody.decide.js';
export { newRecord, nextRecord, type ChangeStamp } from './definition/definition.decide.js';
export { differingFields } from './definition/differences.decide.js';
export { ModelWarningQueries } from './agents/model-warnings.queries.js';
export { bindingWord } from './definition/definition.projection.js';
export { definitionDecider } from './definition/definition.decider.js';
export { ofLive } from './definition/live.decide.js';
export { Claims } from './names/claims.js';
export { DefinitionStreams } from './definition/definition-streams.js';
export { DefinitionWriter } from './names/definition-writer.js';
