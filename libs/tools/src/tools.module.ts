import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccessReadersModule } from '@aos/access/published';
import { ConnectionsReadingModule } from '@aos/connections/published';
import { ActAsConsents } from '@aos/routines/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { AskingSessionsModule, InteractionsReadingModule } from '@aos/interactions/published';
import { Toolbox, WorkerModels } from '@aos/sessions/published';
import { ArtifactTools } from './builtins/artifact-tools.js';
import { BuiltinActionsModule } from './builtins/builtin-actions.module.js';
import { BuiltinTools } from './builtins/builtin-tools.js';
import { Builtins } from './builtins/builtins.js';
import { InteractionTools } from './builtins/interaction-tools.js';
import { MemoryTools } from './builtins/memory-tools.js';
import { RoutineTools } from './builtins/routine-tools.js';
import { SkillTools } from './builtins/skill-tools.js';
import { TableTools } from './builtins/table-tools.js';
import { CallbackTokens } from './deliveries/callback-tokens.js';
import { AgentDeliveries } from './toolbox/agent-deliveries.js';
import { CustomActions } from './toolbox/custom-actions.js';
import { HttpDeliveries } from './deliveries/http-deliveries.js';
import { GrantedToolbox } from './toolbox/granted-toolbox.js';
import { AgentGrant } from './toolbox/agent-grant.js';
import { TurnCallers } from './toolbox/turn-callers.js';
import { InvocationRecords } from './records/invocation-records.js';
import { ToolResults } from './deliveries/tool-result.js';
import { JobbedWorkerModels } from './workers/jobbed-worker-models.js';
import { WorkerActions } from './workers/worker-actions.js';
import { WorkersModule } from './workers/workers.module.js';

/** The tools that turns call; belongs to where turns run. */
@Global()
@Module({
  imports: [
    CqrsModule,
    AccessReadersModule,
    AskingSessionsModule,
    BuiltinActionsModule,
    ConnectionsReadingModule,
    DefinitionsReadingModule,
    InteractionsReadingModule,
    WorkersModule,
  ],
  providers: [
    TableTools,
    MemoryTools,
    InteractionTools,
    SkillTools,
    RoutineTools,
    ArtifactTools,
    BuiltinTools,
    Builtins,
    HttpDeliveries,
    WorkerActions,
    CallbackTokens,
    AgentDeliveries,
    CustomActions,
    InvocationRecords,
    ActAsConsents,
    AgentGrant,
    TurnCallers,
    ToolResults,
    { provide: Toolbox, useClass: GrantedToolbox },
    { provide: WorkerModels, useClass: JobbedWorkerModels },
  ],
  exports: [
    Toolbox,
    WorkerModels,
    Builtins,
    HttpDeliveries,
    WorkerActions,
    CallbackTokens,
    AgentDeliveries,
    CustomActions,
    WorkersModule,
  ],
})
export class ToolsModule {}
