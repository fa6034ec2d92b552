import type { Clock, Egress, EventStore, Identity, JsonObject } from '@aos/kernel';
import {
  DocumentTexts,
  type CursorSeal,
  Decisions,
  DueTimers,
  Payloads,
  OwnProjections,
  OwnStreams,
  Membership,
  Owners,
  Ownership,
  Projectors,
  Recoveries,
  WorkLeases,
  WriterProjections,
  serviceActor,
} from '@aos/platform';
import {
  OrganizationPlans,
  type ActivePrincipals,
  type OrganizationContext,
  type OrganizationSalts,
} from '@aos/access/published';
import type { AgentDirectory, AgentRecord, RecallQueries, SkillDirectory } from '@aos/definitions/published';
import { CompactSession, CompactSessionHandler } from '../../libs/sessions/src/compaction/compaction.handlers.js';
import { CompactionThresholds } from '../../libs/sessions/src/compaction/compaction-thresholds.js';
import { Compactor } from '../../libs/sessions/src/compaction/compactor.js';
import { Summaries } from '../../libs/sessions/src/compaction/summaries.js';
import {
  ChangeSessionSettings,
  ChangeSessionSettingsHandler,
  DeleteSession,
  DeleteSessionHandler,
  CancelSession,
  CancelSessionHandler,
} from '../../libs/sessions/src/lifecycle/lifecycle.handlers.js';
import { TranscriptFragments } from '../../libs/sessions/src/fragments/transcript-fragments.js';
import { SessionDirectory } from '../../libs/sessions/src/reading/session-directory.js';
import { SessionNames } from '../../libs/sessions/src/reading/session-names.js';
import { SessionTargets } from '../../libs/sessions/src/reading/session-targets.js';
import { sessionsProjection } from '../../libs/sessions/src/session/session.projection.js';
import { openTurnsProjection } from '../../libs/sessions/src/session/open-turns.projection.js';
import { CallJobs } from '../../libs/sessions/src/calls/call-jobs.js';
import { ToolCalls } from '../../libs/sessions/src/calls/tool-calls.js';
import { JobRecovery } from '../../libs/sessions/src/calls/job-recovery.js';
import { jobTimersProjection } from '../../libs/sessions/src/session/jobs.projection.js';
import { SessionWatches } from '../../libs/sessions/src/live/session-watches.js';
import { NudgeReader } from '../../libs/sessions/src/reading/nudge-reader.js';
import {
  CancelNudge,
  CancelNudgeHandler,
  NudgeSession,
  NudgeSessionHandler,
} from '../../libs/sessions/src/nudges/nudges.handlers.js';
import { SessionOutcomes } from '../../libs/sessions/src/outcomes/session-outcomes.js';
import { MediaSources } from '../../libs/sessions/src/model/media-sources.js';
import { ModelInput } from '../../libs/sessions/src/model/model-input.js';
import { ModelWindows } from '../../libs/sessions/src/model/model-window.js';
import { SystemText } from '../../libs/sessions/src/model/system-text.js';
import { AdmittedTurns } from '../../libs/sessions/src/running/admitted-turns.js';
import { TurnQueue } from '../../libs/sessions/src/running/turn-queue.js';
import { SlotReleasingToolbox, TurnSlots } from '../../libs/sessions/src/running/turn-slots.js';
import { TurnRecovery } from '../../libs/sessions/src/running/turn-recovery.js';
import { ModelRoutes } from '../../libs/sessions/src/model/model-routes.js';
import { ModelCall } from '../../libs/sessions/src/running/model-call.js';
import { RunningAgents } from '../../libs/sessions/src/running/running-agents.js';
import { TurnClaims } from '../../libs/sessions/src/running/turn-claims.js';
import { TurnRunner } from '../../libs/sessions/src/running/turn-runner.js';
import { SessionCursors } from '../../libs/sessions/src/reading/session-cursors.js';
import {
  CancelTurn,
  CancelTurnHandler,
  InvokeAgent,
  InvokeAgentHandler,
} from '../../libs/sessions/src/turns/turns.handlers.js';
import { TurnAcks, type TurnStart } from '../../libs/sessions/src/turns/turn-acks.js';
import { TurnAdmission } from '../../libs/sessions/src/turns/turn-admission.js';
import { InputFiles } from '../../libs/sessions/src/turn/input-files.js';
import { OutputContract } from '../../libs/sessions/src/turn/output-contract.js';
import { TurnReader } from '../../libs/sessions/src/reading/turn-reader.js';
import { SimulatedBus } from './bus.js';
import { GatedEventStore, GatedLeases, GatedMembers, GatedReadStore } from './gates.js';
import { PlannedModel } from './model.js';
import {
  claimingWhileStopping,
  deaf,
  forgetfulOfBreaks,
  forgetfulOfEpochs,
  leakingSlots,
  parkingBlindly,
} from './planted.js';
import { Place, PlaceClock } from './scheduler.js';
import type { Planted, Shared } from './shared.js';
import { PlannedTools, type Outside, type Question } from './tools.js';

export const leaseMs = 6000;
export const orgId = 'org_00000000000000000000000000';
export const agentId = 'agent_00000000000000000000000000';
const concurrency = 8;
const settings = { leaseSeconds: leaseMs / 1000, turnMaxModelCalls: 20, turnMaxToolCalls: 100 };
const compactAtTokens = 60;

export function identity(requestId: string): Identity {
  return {
    orgId,
    principalId: 'svc_00000000000000000000000000',
    kind: 'service',
    apiKeyId: null,
    permissions: new Set(['svc.resource.view', 'svc.resource.use', 'svc.resource.build']),
    roles: [],
    cap: null,
    requestId,
    ip: null,
  };
}

const agents = (() => {
  const wire = {
    id: agentId,
    status: 'active',
    timeout_seconds: 0,
    model: 'sim',
    system_prompt: '',
    compaction_policy: { strategy: 'auto', threshold_tokens: compactAtTokens },
  };
  const record = { id: agentId, deleted: false, wire } as unknown as AgentRecord;
  return {
    agent: async () => record,
    agentByName: async () => record,
    canSee: () => true,
  } as unknown as AgentDirectory;
})();
const salts = { of: async () => 'salt' } as unknown as OrganizationSalts;
const seals = { seal: (text: string) => text, open: (text: string) => text } as unknown as CursorSeal;
const schemas = { require: async () => undefined, fault: async () => null } as unknown as ConstructorParameters<
  typeof OutputContract
>[0];
const organization = { textOf: async () => '' } as unknown as OrganizationContext;
const skills = { skills: async () => [] } as unknown as SkillDirectory;
const noWayOut = {} as unknown as Egress;
const principals = {
  find: async () => null,
  isActive: async () => true,
  isEnabledAgent: async () => true,
} as unknown as ActivePrincipals;
const memory = { contextText: async () => '' } as unknown as RecallQueries;

function plantedIn(decisions: Decisions, planted: Planted): Decisions {
  switch (planted) {
    case 'no epoch':
      return forgetfulOfEpochs(decisions);
    case 'park without a look at nudges':
      return parkingBlindly(decisions);
    default:
      return decisions;
  }
}

/** The queue as admissions see it. */
function admissionsQueue(turnQueue: TurnQueue, slots: TurnSlots, planted: Planted): TurnQueue {
  switch (planted) {
    case 'place leaks':
      return leakingSlots(turnQueue, slots);
    case 'claims while stopping':
      return claimingWhileStopping(turnQueue);
    default:
      return turnQueue;
  }
}

/** What runs hear of the bus. */
function plantedWatches(watches: SessionWatches, planted: Planted): SessionWatches {
  switch (planted) {
    case 'trusts a cut bus':
      return deaf(watches);
    case 'trusts a bus that was cut':
      return forgetfulOfBreaks(watches);
    default:
      return watches;
  }
}

/** What a process says of itself, and what it knows of all: by members that can be lost. */
function ownershipIn(shared: Shared, place: Place, clock: Clock): Ownership {
  const members = new GatedMembers(shared, place);
  const quiet = () => undefined;
  return new Ownership({
    membership: new Membership(members, { address: place.name, build: '1' }, clock, quiet),
    owners: new Owners(members, clock, quiet),
  });
}

/** One session-service process: the same parts as in production, each with its own memory, on the shared engines. */
export class Replica {
  readonly place: Place;
  readonly clock: PlaceClock;
  readonly projectors: Projectors;
  readonly turnQueue: TurnQueue;
  readonly slots = new TurnSlots(concurrency);
  readonly ownership: Ownership;
  private readonly recovery: TurnRecovery;
  private readonly jobs: CallJobs;
  private readonly timers: DueTimers;
  private readonly jobRecovery: JobRecovery;
  private readonly outcomes: SessionOutcomes;
  private readonly handlers: {
    invoke: InvokeAgentHandler;
    cancelTurn: CancelTurnHandler;
    cancelSession: CancelSessionHandler;
    nudge: NudgeSessionHandler;
    cancelNudge: CancelNudgeHandler;
    compact: CompactSessionHandler;
    change: ChangeSessionSettingsHandler;
    remove: DeleteSessionHandler;
  };

  constructor(name: string, shared: Shared, outside: Outside, isNextBuild = false) {
    this.place = new Place(name, isNextBuild);
    const clock: Clock = (this.clock = new PlaceClock(shared.scheduler.clock, this.place));
    const store: EventStore = new GatedEventStore(shared, this.place);
    const readStore = new GatedReadStore(shared, this.place);
    const leases = new GatedLeases(shared, this.place);
    const bus = new SimulatedBus(shared, this.place);
    const ownership = (this.ownership = ownershipIn(shared, this.place, clock));
    this.place.owns = (stream) => ownership.owns(stream);
    const model = new PlannedModel(shared, this.place, clock);
    const writers = new WriterProjections(readStore);
    writers.register(sessionsProjection);
    writers.register(openTurnsProjection);
    writers.register(jobTimersProjection);
    const decisions = new Decisions(
      store,
      shared.snapshots,
      new Payloads(shared.blobs),
      bus,
      writers,
      clock,
      shared.ids,
    );
    decisions.observe({
      recorded: () => undefined,
      conflicted: () => {
        shared.conflicts += 1;
      },
    });
    const runnersDecisions = plantedIn(decisions, shared.planted);
    const directory = new SessionDirectory(decisions, salts, agents);
    const plans = new OrganizationPlans(decisions, clock);
    const targets = new SessionTargets(
      directory,
      agents,
      model,
      plans,
      clock,
      new SessionNames(shared.ids, this.ownership),
      principals,
    );
    const routes = new ModelRoutes(model, null, plans);
    const thresholds = new CompactionThresholds(routes, agents);
    const windows = new ModelWindows(decisions);
    const media = new MediaSources(noWayOut, clock, decisions, new DocumentTexts(clock));
    const summaries = new Summaries(decisions, model, windows, media, plans, clock);
    const compactor = new Compactor(decisions, model, windows, thresholds, bus, clock, summaries);
    const reader = new TurnReader(decisions);
    const nudges = new NudgeReader(decisions, reader);
    const cursors = new SessionCursors(seals);
    const outputs = new OutputContract(schemas);
    const tools = new PlannedTools(shared, outside, this.place, clock);
    const ownLeases = new WorkLeases(leases, clock, shared.ids, settings);
    const watches = plantedWatches(new SessionWatches(bus, clock), shared.planted);
    const jobs = new CallJobs(decisions, agents, tools, bus, watches, ownLeases, clock);
    const input = new ModelInput(
      windows,
      new SystemText(organization, skills, memory, principals),
      tools,
      outputs,
      media,
    );
    const { slots } = this;
    const calls = new ToolCalls(new SlotReleasingToolbox(tools, slots), outputs, jobs, decisions);
    const running = new RunningAgents(agents, principals);
    const modelCall = new ModelCall(routes, input, compactor, calls, outputs, running, clock);
    const claims = new TurnClaims(runnersDecisions, bus, watches, clock);
    const runner = new TurnRunner(claims, running, modelCall, calls, ownLeases, settings);
    this.turnQueue = new TurnQueue(runner, slots);
    jobs.whenResumed((org, sessionId, state) => {
      this.turnQueue.next(org, sessionId, state);
    });
    this.jobs = jobs;
    this.projectors = new Projectors(
      new OwnProjections(writers, decisions, new OwnStreams()),
      store,
      readStore,
      leases,
      clock,
      shared.ids,
      { leaseSeconds: leaseMs / 1000 },
    );
    const recoveries = new Recoveries(store, readStore, this.projectors, leases, clock, settings);
    this.recovery = new TurnRecovery(recoveries, decisions, this.turnQueue, leases, clock, this.ownership);
    this.timers = new DueTimers(readStore, clock);
    this.jobRecovery = new JobRecovery(recoveries, decisions, this.timers, jobs, leases, clock);
    this.outcomes = new SessionOutcomes(decisions, agents, this.turnQueue, clock, principals);
    const queue = admissionsQueue(this.turnQueue, slots, shared.planted);
    const admitted = new AdmittedTurns(runnersDecisions, queue, runner);
    const admission = new TurnAdmission(
      admitted,
      new TurnAcks(reader, cursors),
      outputs,
      watches,
      clock,
      new InputFiles(),
    );
    this.handlers = {
      invoke: new InvokeAgentHandler(targets, admission),
      cancelTurn: new CancelTurnHandler(decisions, directory, reader, this.turnQueue, clock),
      cancelSession: new CancelSessionHandler(decisions, directory, this.turnQueue, clock),
      nudge: new NudgeSessionHandler(decisions, directory, targets, this.turnQueue, nudges, reader, clock),
      cancelNudge: new CancelNudgeHandler(decisions, directory, nudges, clock),
      compact: new CompactSessionHandler(directory, compactor, thresholds, clock),
      change: new ChangeSessionSettingsHandler(decisions, directory, thresholds, clock),
      remove: new DeleteSessionHandler(decisions, directory, new TranscriptFragments(decisions), clock),
    };
  }

  start(): void {
    this.ownership.onApplicationBootstrap();
    this.projectors.onApplicationBootstrap();
    this.recovery.onApplicationBootstrap();
    this.jobRecovery.onModuleInit();
    this.jobRecovery.onApplicationBootstrap();
    this.timers.onApplicationBootstrap();
  }

  /** Goes down in good order. */
  async stop(): Promise<void> {
    await this.ownership.drain();
    await this.ownership.close();
    await Promise.all([
      this.turnQueue.onApplicationShutdown(),
      this.jobs.onApplicationShutdown(),
      this.recovery.onApplicationShutdown(),
      this.jobRecovery.onApplicationShutdown(),
      this.timers.onApplicationShutdown(),
      this.projectors.onApplicationShutdown(),
    ]);
  }

  invoke(who: Identity, body: InvokeAgent['input']['body']): Promise<TurnStart> {
    return this.handlers.invoke.execute(new InvokeAgent(who, { body }));
  }

  cancelTurn(who: Identity, sessionId: string, turnId: string): Promise<JsonObject> {
    return this.handlers.cancelTurn.execute(new CancelTurn(who, { session_id: sessionId, turn_id: turnId }));
  }

  cancelSession(who: Identity, sessionId: string): Promise<JsonObject> {
    return this.handlers.cancelSession.execute(new CancelSession(who, { session_id: sessionId }));
  }

  nudge(who: Identity, sessionId: string, body: NudgeSession['input']['body']): Promise<JsonObject> {
    return this.handlers.nudge.execute(new NudgeSession(who, { session_id: sessionId, body }));
  }

  cancelNudge(who: Identity, sessionId: string, nudgeId: string): Promise<JsonObject> {
    return this.handlers.cancelNudge.execute(new CancelNudge(who, { session_id: sessionId, nudge_id: nudgeId }));
  }

  compact(who: Identity, sessionId: string): Promise<JsonObject> {
    return this.handlers.compact.execute(new CompactSession(who, { session_id: sessionId }));
  }

  change(who: Identity, sessionId: string, body: ChangeSessionSettings['input']['body']): Promise<JsonObject> {
    return this.handlers.change.execute(new ChangeSessionSettings(who, { session_id: sessionId, body }));
  }

  async remove(who: Identity, sessionId: string): Promise<JsonObject> {
    await this.handlers.remove.execute(new DeleteSession(who, { session_id: sessionId }));
    return {};
  }

  /** Brings a question's outcome to the session that asked, as interactions do: again until it is taken. */
  answer(question: Question): Promise<void> {
    return this.outcomes.apply(serviceActor(question.orgId, 'svc.interactions', question.id), question.sessionId, {
      interaction_id: question.id,
      delivery_id: `dlv_${question.id}`,
      content: [{ type: 'text', text: `outcome of ${question.id}` }],
      metadata: { interaction_id: question.id },
    });
  }
}
