import { Module, type OnModuleInit } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Clock, EventStore, Ids, Leases, LiveBus, ModelProvider, ReadStore } from '@aos/kernel';
import { Decisions, DueTimers, Log, Metrics, Projectors, Settings, WriterProjections } from '@aos/platform';
import { AccessReadersModule, ActivePrincipals, OrganizationPlans } from '@aos/access/published';
import { AgentDirectory, DefinitionsReadingModule } from '@aos/definitions/published';
import { CompactSessionHandler } from './compaction/compaction.handlers.js';
import { CompactionController } from './compaction/compaction.controller.js';
import { Compactor } from './compaction/compactor.js';
import { CompactionThresholds } from './compaction/compaction-thresholds.js';
import { AppendMessagesHandler } from './imports/imports.handlers.js';
import {
  ChangeSessionSettingsHandler,
  CreateSessionHandler,
  DeleteSessionHandler,
  CancelSessionHandler,
} from './lifecycle/lifecycle.handlers.js';
import { CallJobs } from './calls/call-jobs.js';
import { JobRecovery } from './calls/job-recovery.js';
import { jobTimersProjection } from './session/jobs.projection.js';
import { SessionTargets } from './reading/session-targets.js';
import { SessionsController } from './lifecycle/sessions.controller.js';
import { sessionsProjection } from './session/session.projection.js';
import { openTurnsProjection } from './session/open-turns.projection.js';
import { GetSessionHandler, ListSessionsHandler } from './lifecycle/sessions.queries.js';
import { NudgesController } from './nudges/nudges.controller.js';
import {
  CancelNudgeHandler,
  GetNudgeHandler,
  ListNudgesHandler,
  NudgeSessionHandler,
} from './nudges/nudges.handlers.js';
import { SessionOutcomes } from './outcomes/session-outcomes.js';
import { RoutineTurns } from './routine-turns/routine-turns.js';
import { MediaSources } from './model/media-sources.js';
import { ModelInput } from './model/model-input.js';
import { ModelWindows } from './model/model-window.js';
import { SystemText } from './model/system-text.js';
import { Toolbox } from './calls/toolbox.js';
import { TurnQueue } from './running/turn-queue.js';
import { SlotReleasingToolbox, TurnSlots } from './running/turn-slots.js';
import { TurnRecovery } from './running/turn-recovery.js';
import { TurnRunner } from './running/turn-runner.js';
import { ModelRoutes, WorkerModels } from './model/model-routes.js';
import { CancelTurnHandler, InvokeAgentHandler, StartSessionTurnHandler } from './turns/turns.handlers.js';
import { GetTurnHandler, ListTurnsHandler } from './turns/turns.queries.js';
import { ListMessagesHandler, ListTurnMessagesHandler } from './transcript/messages.queries.js';
import { MessagesController } from './transcript/messages.controller.js';
import { SessionsReadingModule } from './sessions-reading.module.js';
import { OutputContract } from './turn/output-contract.js';
import { TurnsController } from './turns/turns.controller.js';

const handlers = [
  CreateSessionHandler,
  ChangeSessionSettingsHandler,
  DeleteSessionHandler,
  InvokeAgentHandler,
  StartSessionTurnHandler,
  CancelTurnHandler,
  CancelSessionHandler,
  NudgeSessionHandler,
  CancelNudgeHandler,
  CompactSessionHandler,
  AppendMessagesHandler,
];
const queries = [
  GetSessionHandler,
  ListSessionsHandler,
  GetTurnHandler,
  ListTurnsHandler,
  ListMessagesHandler,
  ListTurnMessagesHandler,
  GetNudgeHandler,
  ListNudgesHandler,
];

const input = {
  provide: ModelInput,
  useFactory: (
    windows: ModelWindows,
    system: SystemText,
    toolbox: Toolbox,
    outputs: OutputContract,
    media: MediaSources,
  ) => new ModelInput(windows, system, toolbox, outputs, media),
  inject: [ModelWindows, SystemText, Toolbox, OutputContract, MediaSources],
};

const jobs = {
  provide: CallJobs,
  useFactory: (
    decisions: Decisions,
    agents: AgentDirectory,
    toolbox: Toolbox,
    bus: LiveBus,
    leases: Leases,
    clock: Clock,
    ids: Ids,
    settings: Settings,
  ) => new CallJobs(decisions, agents, toolbox, bus, leases, clock, ids, settings.leaseSeconds * 1000),
  inject: [Decisions, AgentDirectory, Toolbox, LiveBus, Leases, Clock, Ids, Settings],
};

const jobRecovery = {
  provide: JobRecovery,
  useFactory: (
    store: EventStore,
    readStore: ReadStore,
    decisions: Decisions,
    projectors: Projectors,
    timers: DueTimers,
    calls: CallJobs,
    leases: Leases,
    clock: Clock,
    settings: Settings,
  ) =>
    new JobRecovery(
      store,
      readStore,
      decisions,
      projectors,
      timers,
      calls,
      leases,
      clock,
      settings.leaseSeconds * 1000,
    ),
  inject: [EventStore, ReadStore, Decisions, Projectors, DueTimers, CallJobs, Leases, Clock, Settings],
};

const slots = {
  provide: TurnSlots,
  useFactory: (settings: Settings) => new TurnSlots(settings.turnConcurrency),
  inject: [Settings],
};

const routes = {
  provide: ModelRoutes,
  useFactory: (models: ModelProvider, workers: WorkerModels | undefined, plans: OrganizationPlans) =>
    new ModelRoutes(models, workers ?? null, plans),
  inject: [ModelProvider, { token: WorkerModels, optional: true }, OrganizationPlans],
};

const runner = {
  provide: TurnRunner,
  useFactory: (
    decisions: Decisions,
    models: ModelRoutes,
    agents: AgentDirectory,
    principals: ActivePrincipals,
    toolbox: Toolbox,
    input: ModelInput,
    jobs: CallJobs,
    compactor: Compactor,
    outputs: OutputContract,
    bus: LiveBus,
    leases: Leases,
    clock: Clock,
    ids: Ids,
    settings: Settings,
    turnSlots: TurnSlots,
  ) =>
    new TurnRunner(
      decisions,
      models,
      agents,
      principals,
      new SlotReleasingToolbox(toolbox, turnSlots),
      input,
      jobs,
      compactor,
      outputs,
      bus,
      leases,
      clock,
      ids,
      {
        leaseMs: settings.leaseSeconds * 1000,
        modelCallsMax: settings.turnMaxModelCalls,
        toolCallsMax: settings.turnMaxToolCalls,
      },
    ),
  inject: [
    Decisions,
    ModelRoutes,
    AgentDirectory,
    ActivePrincipals,
    Toolbox,
    ModelInput,
    CallJobs,
    Compactor,
    OutputContract,
    LiveBus,
    Leases,
    Clock,
    Ids,
    Settings,
    TurnSlots,
  ],
};

const turnQueue = {
  provide: TurnQueue,
  useFactory: (turnRunner: TurnRunner, calls: CallJobs, turnSlots: TurnSlots, metrics: Metrics, log: Log) => {
    turnRunner.whenFailed((orgId, turn) => {
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
  inject: [TurnRunner, CallJobs, TurnSlots, Metrics, Log],
};

const recovery = {
  provide: TurnRecovery,
  useFactory: (
    store: EventStore,
    readStore: ReadStore,
    decisions: Decisions,
    projectors: Projectors,
    turns: TurnQueue,
    leases: Leases,
    clock: Clock,
    settings: Settings,
  ) => new TurnRecovery(store, readStore, decisions, projectors, turns, leases, clock, settings.leaseSeconds * 1000),
  inject: [EventStore, ReadStore, Decisions, Projectors, TurnQueue, Leases, Clock, Settings],
};

/** Sessions and turns: writes `session-` and `sessionkey-`, and runs turns. A global module provides `Toolbox`. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule, SessionsReadingModule],
  controllers: [SessionsController, TurnsController, MessagesController, NudgesController, CompactionController],
  providers: [
    ...handlers,
    ...queries,
    SessionTargets,
    CompactionThresholds,
    Compactor,
    OutputContract,
    SessionOutcomes,
    RoutineTurns,
    ModelWindows,
    SystemText,
    MediaSources,
    slots,
    input,
    jobs,
    jobRecovery,
    routes,
    runner,
    turnQueue,
    recovery,
  ],
  exports: [SessionsReadingModule, TurnQueue, SessionOutcomes, RoutineTurns, CallJobs],
})
export class SessionsModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(sessionsProjection);
    this.projections.register(openTurnsProjection);
    this.projections.register(jobTimersProjection);
  }
}
