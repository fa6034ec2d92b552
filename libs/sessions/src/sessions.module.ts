import { Module, type OnModuleInit } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Ids, ModelProvider } from '@aos/kernel';
import {
  commandHandlersIn,
  Decisions,
  Log,
  Metrics,
  Ownership,
  Settings,
  WorkModule,
  WriterProjections,
} from '@aos/platform';
import { AccessReadersModule, OrganizationPlans } from '@aos/access/published';
import { DefinitionsReadingModule, ModelWarningQueries } from '@aos/definitions/published';
import * as custody from './custody/custody.handlers.js';
import * as compaction from './compaction/compaction.handlers.js';
import { CompactionController } from './compaction/compaction.controller.js';
import { Compactor } from './compaction/compactor.js';
import { Summaries } from './compaction/summaries.js';
import { CompactionThresholds } from './compaction/compaction-thresholds.js';
import { ImportedRows } from './imports/imported-rows.js';
import * as imports from './imports/imports.handlers.js';
import * as lifecycle from './lifecycle/lifecycle.handlers.js';
import { CallJobs } from './calls/call-jobs.js';
import { DeferredCalls } from './calls/deferred-calls.js';
import { JobRecovery } from './calls/job-recovery.js';
import { jobTimersProjection } from './session/jobs.projection.js';
import { SessionNames } from './reading/session-names.js';
import { SessionTargets } from './reading/session-targets.js';
import { SessionsController } from './lifecycle/sessions.controller.js';
import { expiryTimersProjection } from './session/expiry-timers.projection.js';
import { sessionsProjection } from './session/session.projection.js';
import { openTurnsProjection } from './session/open-turns.projection.js';
import { turnsProjection } from './session/turns.projection.js';
import { SessionExpiry } from './lifecycle/session-expiry.js';
import { SessionList } from './lifecycle/session-list.js';
import { SessionQueries } from './lifecycle/sessions.queries.js';
import { NudgesController } from './nudges/nudges.controller.js';
import * as nudges from './nudges/nudges.handlers.js';
import { NudgeQueries } from './nudges/nudges.queries.js';
import { SessionOutcomes } from './outcomes/session-outcomes.js';
import { ChannelTurns } from './channel-turns/channel-turns.js';
import { RoutineTurns } from './routine-turns/routine-turns.js';
import { MediaSources } from './model/media-sources.js';
import { ModelInput } from './model/model-input.js';
import { ModelWindows } from './model/model-window.js';
import { SystemText } from './model/system-text.js';
import { ToolCalls } from './calls/tool-calls.js';
import { Toolbox } from './calls/toolbox.js';
import { AdmittedTurns } from './running/admitted-turns.js';
import { TurnQueue } from './running/turn-queue.js';
import { SlotReleasingToolbox, TurnSlots } from './running/turn-slots.js';
import { TurnRecovery } from './running/turn-recovery.js';
import { ModelCall } from './running/model-call.js';
import { RunningAgents } from './running/running-agents.js';
import { TurnClaims } from './running/turn-claims.js';
import { TurnRunner } from './running/turn-runner.js';
import { ModelRoutes, WorkerModels } from './model/model-routes.js';
import { TurnAcks } from './turns/turn-acks.js';
import { TurnAdmission } from './turns/turn-admission.js';
import * as turns from './turns/turns.handlers.js';
import { TurnQueries } from './turns/turns.queries.js';
import { MessageQueries } from './transcript/messages.queries.js';
import { MessagesController } from './transcript/messages.controller.js';
import { SessionsReadingModule } from './sessions-reading.module.js';
import { InputFiles } from './turn/input-files.js';
import { OutputContract } from './turn/output-contract.js';
import { TurnsController } from './turns/turns.controller.js';

const handlers = [lifecycle, custody, turns, nudges, compaction, imports].flatMap(commandHandlersIn);
const queries = [ModelWarningQueries, SessionList, SessionQueries, TurnQueries, MessageQueries, NudgeQueries];

const slots = {
  provide: TurnSlots,
  useFactory: (settings: Settings) => new TurnSlots(settings.turnConcurrency),
  inject: [Settings],
};

const sessionNames = {
  provide: SessionNames,
  useFactory: (ids: Ids, ownership: Ownership) => new SessionNames(ids, ownership),
  inject: [Ids, Ownership],
};

const routes = {
  provide: ModelRoutes,
  useFactory: (models: ModelProvider, workers: WorkerModels | undefined, plans: OrganizationPlans) =>
    new ModelRoutes(models, workers ?? null, plans),
  inject: [ModelProvider, { token: WorkerModels, optional: true }, OrganizationPlans],
};

/** A turn gives its slot up while its calls run; jobs have slots of their own. */
const toolCalls = {
  provide: ToolCalls,
  useFactory: (toolbox: Toolbox, turnSlots: TurnSlots, outputs: OutputContract, jobs: CallJobs, decisions: Decisions) =>
    new ToolCalls(new SlotReleasingToolbox(toolbox, turnSlots), outputs, jobs, decisions),
  inject: [Toolbox, TurnSlots, OutputContract, CallJobs, Decisions],
};

const turnQueue = {
  provide: TurnQueue,
  useFactory: (
    claims: TurnClaims,
    turnRunner: TurnRunner,
    calls: CallJobs,
    turnSlots: TurnSlots,
    metrics: Metrics,
    log: Log,
  ) => {
    claims.whenFailed((orgId, turn) => {
      log.info('turn failed', {
        org_id: orgId,
        session_id: turn.session_id,
        turn_id: turn.id,
        agent_id: turn.agent_id,
        error_type: turn.error_type,
      });
    });
    const turns = new TurnQueue(turnRunner, turnSlots);
    calls.whenResumed((orgId, sessionId, state) => {
      turns.next(orgId, sessionId, state);
    });
    metrics.observedGauge('turns_running', 'Turns that run in this process.', () => turns.depth.running);
    metrics.observedGauge('turns_waiting', 'Turns that wait for a place in this process.', () => turns.depth.waiting);
    return turns;
  },
  inject: [TurnClaims, TurnRunner, CallJobs, TurnSlots, Metrics, Log],
};

/** Sessions and turns: writes `session-` and `sessionkey-`, and runs turns. A global module provides `Toolbox`. */
@Module({
  imports: [CqrsModule, WorkModule, AccessReadersModule, DefinitionsReadingModule, SessionsReadingModule],
  controllers: [SessionsController, TurnsController, MessagesController, NudgesController, CompactionController],
  providers: [
    ...handlers,
    ...queries,
    sessionNames,
    SessionExpiry,
    SessionTargets,
    TurnAcks,
    AdmittedTurns,
    TurnAdmission,
    CompactionThresholds,
    Summaries,
    Compactor,
    InputFiles,
    ImportedRows,
    OutputContract,
    SessionOutcomes,
    RoutineTurns,
    ChannelTurns,
    ModelWindows,
    SystemText,
    MediaSources,
    slots,
    ModelInput,
    CallJobs,
    DeferredCalls,
    JobRecovery,
    routes,
    RunningAgents,
    TurnClaims,
    toolCalls,
    ModelCall,
    TurnRunner,
    turnQueue,
    TurnRecovery,
  ],
  exports: [SessionsReadingModule, TurnQueue, SessionOutcomes, RoutineTurns, ChannelTurns, CallJobs, DeferredCalls],
})
export class SessionsModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(sessionsProjection);
    this.projections.register(openTurnsProjection);
    this.projections.register(expiryTimersProjection);
    this.projections.register(jobTimersProjection);
    this.projections.register(turnsProjection);
  }
}
