import { Injectable, Logger } from '@nestjs/common';
import {
  Clock,
  Ids,
  Leases,
  LiveBus,
  ModelFailure,
  StoreUnavailable,
  rfc3339,
  uuidFrom,
  type JsonObject,
  type ModelBlock,
  type ModelRequest,
  messageOf,
} from '@aos/kernel';
import { Decisions, OwnedLeases, failpoint, serviceActor, type Actor } from '@aos/platform';
import { ActivePrincipals } from '@aos/access/published';
import { AgentDirectory, type AgentRecord } from '@aos/definitions/published';
import type { Block, SessionEvent, ToolCall, TurnRecord, Usage } from '../session/session.events.js';
import { sessionKind, type OpenTurn, type SessionState } from '../session/session.state.js';
import { turnRowId } from '../session/session.ids.js';
import {
  TurnLost,
  claimTurn,
  completeWithoutCall,
  deliverBeforeCall,
  failTurn,
  requeueTurn,
  parkTurn,
  recordAnswer,
  recordOutcome,
  renewClaim,
} from '../turn/run.decide.js';
import { nextToRun, openCalls } from '../session/open-turns.state.js';
import { CallJobs } from '../calls/call-jobs.js';
import { Compactor } from '../compaction/compactor.js';
import { OutputContract, submitOutputTool } from '../turn/output-contract.js';
import { ActiveTime } from './active-time.js';
import { LivePublisher } from '../live/live-publisher.js';
import { ModelInput } from '../model/model-input.js';
import { ModelRoutes, missingModel, type RoutedModel } from '../model/model-routes.js';
import { Toolbox, type ToolContext } from '../calls/toolbox.js';
import type { TurnReference } from './turn-reference.js';

const modelTriesMax = 3;
const retryBaseMs = 500;
const retryMaxMs = 20_000;

export interface RunnerLimits {
  leaseMs: number;
  modelCallsMax: number;
  toolCallsMax: number;
}

/** A turn failed for a reason that the caller is told (rule T12). */
class TurnFailure extends Error {
  constructor(
    readonly errorType: string,
    message: string,
  ) {
    super(message);
  }
}

/** Hears of each turn that fails here, once. */
export type FailedListener = (orgId: string, turn: TurnRecord) => void;

/** This process is going down. */
class Stopping extends TurnLost {}

/** The state of one run of a turn. */
interface Run {
  reference: TurnReference;
  epoch: number;
  act: Actor;
  agent: AgentRecord;
  live: LivePublisher;
  active: ActiveTime;
  signal: AbortSignal;
  /** The model call before which an automatic pass was tried: one is tried before each. */
  passTriedAt: number | null;
  /** Blocks of the answer under way that are whole, by their place: kept when the turn fails (rule T20). */
  finished: Block[];
}

/**
 * Runs one turn to its end, to a wait, or until another process takes it over. Each step is committed before the next
 * begins; the claim's epoch fences: after a takeover or a cancel nothing more is written.
 */
@Injectable()
export class TurnRunner {
  readonly name: string;
  private readonly log = new Logger('turns');
  private readonly owned = new Set<string>();
  private readonly stopSignal = new AbortController();
  private readonly leases: OwnedLeases;
  private failed: FailedListener = () => undefined;

  constructor(
    private readonly decisions: Decisions,
    private readonly models: ModelRoutes,
    private readonly agents: AgentDirectory,
    private readonly principals: ActivePrincipals,
    private readonly toolbox: Toolbox,
    private readonly input: ModelInput,
    private readonly jobs: CallJobs,
    private readonly compactor: Compactor,
    private readonly outputs: OutputContract,
    private readonly bus: LiveBus,
    leases: Leases,
    private readonly clock: Clock,
    ids: Ids,
    private readonly limits: RunnerLimits,
  ) {
    this.name = `runner_${ids.ulid()}`;
    this.leases = new OwnedLeases(leases, clock, {
      owner: this.name,
      leaseMs: limits.leaseMs,
      names: () => [...this.owned].map(leaseName),
    });
  }

  /**
   * Gives the session's next turn to run, if one waits. Throws `StoreUnavailable` when the log cannot answer: recovery
   * goes on later.
   */
  async run(reference: TurnReference): Promise<string | null> {
    const { sessionId, turnId } = reference;
    const agentId = (await this.decisions.load(sessionKind, sessionId)).state.opening?.agent_id;
    if (!agentId) return null;
    this.owned.add(turnId);
    this.leases.acquire(leaseName(turnId));
    try {
      const actor: Actor = { ...serviceActor(reference.orgId, agentId, turnId, 'agent') };
      const claimed = await this.decisions.run(sessionKind, sessionId, actor, (session) =>
        claimTurn({ turnId, runner: this.name, now: this.now(), takeover: reference.takeover }, session),
      );
      const open = claimed.state.open.get(turnId);
      if (claimed.events.length > 0 && open) await this.runClaimed(reference, actor, open, agentId);
    } finally {
      this.owned.delete(turnId);
      this.leases.release(leaseName(turnId));
    }
    const { state } = await this.decisions.load(sessionKind, sessionId);
    const next = nextToRun(state);
    return next && next.turn.status === 'queued' ? next.turn.id : null;
  }

  whenFailed(listener: FailedListener): void {
    this.failed = listener;
  }

  /** Ends every run of this process at its next step; nothing more is written. */
  stop(): void {
    this.stopSignal.abort(new Stopping('every turn'));
    this.leases.close();
  }

  private async runClaimed(reference: TurnReference, actor: Actor, open: OpenTurn, agentId: string): Promise<void> {
    const { sessionId, turnId } = reference;
    const abort = new AbortController();
    const stop = () => {
      abort.abort(this.stopSignal.signal.reason);
    };
    this.stopSignal.signal.addEventListener('abort', stop, { once: true });
    if (this.stopSignal.signal.aborted) stop(); // while the turn was claimed
    const epoch = open.epoch;
    const watch = this.bus.subscribe(`ring:session-${sessionId}`, () => {
      this.checkOwnership(sessionId, turnId, epoch, abort);
    });
    const active = new ActiveTime(this.clock, {
      spentMs: open.activeMs,
      budgetMs: open.turn.effective_timeout_seconds * 1000,
      ranOut: () => {
        abort.abort(new TurnFailure('timeout', 'the turn ran out of time'));
      },
      sign: (activeMs) => this.sign(reference, actor, epoch, activeMs),
    });
    const live = new LivePublisher(this.bus, this.clock, sessionId, turnId, (error) => {
      this.log.warn(`${turnId}: ${String(error)}`);
    });
    const finished: Block[] = [];
    try {
      const agent = await this.liveAgent(reference.orgId, agentId);
      await this.steps({
        reference,
        epoch,
        act: actor,
        agent,
        live,
        active,
        signal: abort.signal,
        passTriedAt: null,
        finished,
      });
    } catch (error) {
      const broken = { activeMs: active.spentMs, partial: finished.filter(Boolean) };
      await this.endBadly(reference, actor, epoch, abort.signal.aborted ? abort.signal.reason : error, broken);
    } finally {
      live.endRow();
      active.close();
      watch.close();
      this.stopSignal.signal.removeEventListener('abort', stop);
    }
  }

  private async liveAgent(orgId: string, agentId: string): Promise<AgentRecord> {
    const agent = await this.agents.agent(orgId, agentId);
    if (!agent || agent.deleted) throw new TurnFailure('agent_unavailable', 'the agent is not there any more');
    if (!(await this.principals.isActive(orgId, agentId)))
      throw new TurnFailure('agent_unavailable', 'the agent is disabled');
    return agent;
  }

  /** Until the turn is final, waits, or is lost. Bounded by the runaway guard (rule L19). */
  private async steps(run: Run): Promise<void> {
    const { sessionId, turnId } = run.reference;
    for (;;) {
      run.signal.throwIfAborted();
      const { state, revision } = await this.decisions.load(sessionKind, sessionId);
      const open = state.open.get(turnId);
      if (!open || open.epoch !== run.epoch || open.turn.status !== 'running') return;
      if (open.toolCalls > this.limits.toolCallsMax)
        throw new TurnFailure('iteration_limit', 'the turn asked for too many tool calls');
      if (openCalls(open).length > 0) {
        await this.carryOut(run, open);
        continue;
      }
      // gone or disabled since: fails here (rules R16, A32); changes wait for the next turn
      if (open.calls > 0) await this.liveAgent(run.reference.orgId, run.agent.id);
      if (open.calls >= this.limits.modelCallsMax)
        throw new TurnFailure('iteration_limit', 'the turn made too many model calls');
      if (open.input.input_sequence === null && open.nextIndex === 0) {
        await this.commit(run, (session) =>
          completeWithoutCall({ turnId, epoch: run.epoch, now: this.now() }, session),
        );
        continue;
      }
      if (state.pendingOutcomes.some((waiting) => waiting.turnId === turnId)) {
        await this.commit(run, (session) => deliverBeforeCall({ turnId, epoch: run.epoch, now: this.now() }, session));
        continue;
      }
      await this.callModel(run, state, open, revision);
    }
  }

  private async callModel(run: Run, state: SessionState, open: OpenTurn, revision: number): Promise<void> {
    const { sessionId, turnId, orgId } = run.reference;
    const model = this.models.of(run.agent, state.opening?.model_override, {
      orgId,
      sessionId,
      turnId,
      agentId: run.agent.id,
    });
    if (!model) throw new TurnFailure('model_unavailable', missingModel(run.agent, state.opening?.model_override));
    if (!(await this.models.isAllowed(orgId, model)))
      throw new TurnFailure(
        'model_unavailable',
        `the organization's billing plan does not allow the model ${model.option.id}`,
      );
    const context: ToolContext = { orgId, sessionId, turn: open, agent: run.agent };
    const gathered = await this.input.gather(context, state, revision);
    const excess =
      run.passTriedAt === open.calls
        ? null
        : this.compactor.dueInTurn(state, open, gathered.contextTokens, model.option.contextWindowTokens);
    if (excess) {
      run.passTriedAt = open.calls;
      const { ended } = await this.compactor.start({
        orgId,
        sessionId,
        trigger: 'auto',
        claim: { turnId, epoch: run.epoch },
        excess,
        act: run.act,
      });
      await ended;
      return;
    }
    const request = await this.input.request(context, state, model.option, gathered, run.signal);
    const schema = open.input.output_schema;
    const rowId = turnRowId(sessionId, open.ordinal, open.nextIndex);
    failpoint('before-model-call');
    const answer = await this.streamAnswer(run, model, request, rowId, open.nextIndex);
    failpoint('after-model-call');
    const calls = await this.recordedCalls(context, answer.content, rowId);
    const byId = new Map(calls.map((call) => [call.tool_call_id, call]));
    const content = answer.content.map((block) => {
      const call = block.type === 'tool_use' ? byId.get(String(block.id)) : undefined;
      return call?.resolved_action
        ? { ...block, resolved_action: call.resolved_action as unknown as JsonObject }
        : block;
    });
    const textOutput =
      schema && calls.length === 0 && !open.output ? await this.outputs.fromText(context.orgId, schema, content) : null;
    await this.commit(run, (session) =>
      recordAnswer(
        {
          textOutput,
          turnId,
          epoch: run.epoch,
          now: this.now(),
          content,
          usage: answer.usage,
          model: answer.model,
          provider: answer.provider,
          activeMs: run.active.spentMs,
          calls,
        },
        session,
      ),
    );
    run.finished.length = 0;
    run.live.endRow();
  }

  /** One model call; tried again while nothing of it can be kept and another try may help. */
  private async streamAnswer(
    run: Run,
    model: RoutedModel,
    request: ModelRequest,
    rowId: string,
    index: number,
  ): Promise<{ content: Block[]; usage: Usage; model: string; provider: string }> {
    const { finished } = run;
    for (let attempt = 1; ; attempt += 1) {
      finished.length = 0;
      try {
        run.live.startRow(rowId, index, request.model);
        for await (const event of model.stream(request, run.signal)) {
          run.signal.throwIfAborted();
          if (event.type === 'done') {
            if (event.stop === 'length' && finished.length === 0)
              throw new ModelFailure('the answer was cut before its first block ended', false);
            return {
              content: [...finished],
              usage: callUsage(event.usage),
              model: event.model,
              provider: event.provider,
            };
          }
          run.live.show(event);
          if (event.type === 'block_stop') finished[event.index] = storedBlock(event.block);
        }
        throw new ModelFailure('the model ended without finishing', true);
      } catch (error) {
        run.signal.throwIfAborted();
        if (!(error instanceof ModelFailure)) throw error;
        run.live.discardRow();
        if (!error.retryable || attempt >= modelTriesMax) throw new TurnFailure(error.errorType, error.message);
        finished.length = 0;
        const wait = error.retryAfterMs ?? Math.min(retryMaxMs, retryBaseMs * 2 ** attempt);
        await this.clock.sleep(Math.min(wait, retryMaxMs), run.signal);
      }
    }
  }

  /**
   * Names each tool call's delivery: the same id on every attempt and after every crash, because it rests on the row
   * and the call alone.
   */
  private async recordedCalls(context: ToolContext, content: Block[], rowId: string): Promise<ToolCall[]> {
    const calls: ToolCall[] = [];
    for (const [index, block] of content.entries()) {
      if (block.type !== 'tool_use') continue;
      const call: ToolCall = {
        content_index: index,
        tool_call_id: String(block.id),
        name: String(block.name),
        input: block.input as JsonObject,
        delivery_id: `dlv_${uuidFrom(rowId, String(block.id)).replaceAll('-', '')}`,
      };
      const resolved = await this.toolbox.resolve(context, call.name, call.input);
      if (resolved) call.resolved_action = resolved;
      calls.push(call);
    }
    return calls;
  }

  /**
   * Carries out the calls that have no outcome, at once, and records each as it comes. The turn parks when nothing else
   * of it is under way.
   */
  private async carryOut(run: Run, open: OpenTurn): Promise<void> {
    const { turnId, sessionId, orgId } = run.reference;
    const context: ToolContext = { orgId, sessionId, turn: open, agent: run.agent };
    const calls = openCalls(open);
    const left = await Promise.all(
      calls.filter(({ job }) => !job).map(({ call }) => this.dispatched(run, context, call)),
    );
    const waits = left.flatMap((found) => (found && 'wait' in found ? [found.wait] : []));
    const jobs = left.flatMap((found) =>
      found && 'job' in found ? [{ ...found.job, toolCallId: found.call.tool_call_id }] : [],
    );
    if (waits.length === 0 && jobs.length === 0 && !calls.some(({ job }) => job)) return;
    const starting = calls.flatMap(({ call }) =>
      jobs.some(({ toolCallId }) => toolCallId === call.tool_call_id) ? [call] : [],
    );
    await this.jobs.begin({ orgId, sessionId, turnId }, starting, () =>
      this.commit(run, (session) =>
        parkTurn({ turnId, epoch: run.epoch, now: this.now(), waits, jobs, activeMs: run.active.spentMs }, session),
      ),
    );
  }

  /** Null when the call has its outcome. */
  private async dispatched(run: Run, context: ToolContext, call: ToolCall) {
    const { turn: open, sessionId } = context;
    const messageId = turnRowId(sessionId, open.ordinal, open.nextIndex - 1);
    const shown = {
      message_id: messageId,
      content_index: call.content_index,
      tool_call_id: call.tool_call_id,
      tool_name: call.name,
    };
    run.live.signal({
      type: 'tool_call',
      ...shown,
      input: call.input,
      ...(call.resolved_action ? { resolved_action: call.resolved_action } : {}),
    });
    const schema = call.name === submitOutputTool ? open.input.output_schema : undefined;
    failpoint('before-tool-dispatch');
    const progress = run.live.progressOf(shown, call);
    const dispatched = schema
      ? { outcome: await this.outputs.submit(context.orgId, schema, call.input) }
      : await this.toolbox.dispatch(context, call, progress.report, run.signal).finally(() => {
          progress.end();
        });
    failpoint('after-tool-dispatch');
    run.signal.throwIfAborted();
    if (!('outcome' in dispatched)) return { ...dispatched, call };
    const outcome = { tool_call_id: call.tool_call_id, ...dispatched.outcome };
    await this.commit(run, (session) =>
      recordOutcome({ turnId: open.turn.id, epoch: run.epoch, now: this.now(), outcome }, session),
    );
    const content: Block[] =
      typeof outcome.content === 'string' ? [{ type: 'text', text: outcome.content }] : outcome.content;
    run.live.signal({ type: 'tool_result', ...shown, content, is_error: outcome.is_error, status: outcome.status });
    return null;
  }

  private async commit(run: Run, decide: (session: SessionState) => SessionEvent[]): Promise<readonly SessionEvent[]> {
    run.signal.throwIfAborted();
    const { events } = await this.decisions.run(sessionKind, run.reference.sessionId, run.act, decide);
    this.tellOfFailure(run.reference, events);
    return events;
  }

  /** A lost turn is left alone; any other trouble fails it, once. */
  private async endBadly(
    reference: TurnReference,
    actor: Actor,
    epoch: number,
    reason: unknown,
    { activeMs, partial }: { activeMs: number; partial: Block[] },
  ): Promise<void> {
    if (reason instanceof Stopping) await this.giveBack(reference, actor, epoch, activeMs);
    if (reason instanceof TurnLost) return;
    if (reason instanceof StoreUnavailable) throw reason;
    const failure =
      reason instanceof TurnFailure
        ? reason
        : new TurnFailure('internal_error', 'the turn broke off by a fault of the service');
    if (!(reason instanceof TurnFailure))
      this.log.error(`${reference.turnId}: ${reason instanceof Error ? reason.stack : String(reason)}`);
    try {
      const { events } = await this.decisions.run(sessionKind, reference.sessionId, actor, (session, revision) =>
        failTurn(
          {
            turnId: reference.turnId,
            epoch,
            now: this.now(),
            errorType: failure.errorType,
            message: failure.message,
            partial,
          },
          session,
          revision,
        ),
      );
      this.tellOfFailure(reference, events);
    } catch (error) {
      if (!(error instanceof TurnLost)) throw error;
    }
  }

  private tellOfFailure({ orgId }: TurnReference, events: readonly SessionEvent[]): void {
    for (const event of events) if (event.type === 'TurnFailed') this.failed(orgId, event.data.turn);
  }

  /**
   * Written while a step goes on, so that what it has spent counts should this process die. A turn that is lost is
   * noticed elsewhere.
   */
  private async sign(
    { sessionId, turnId }: TurnReference,
    actor: Actor,
    epoch: number,
    activeMs: number,
  ): Promise<void> {
    try {
      await this.decisions.run(sessionKind, sessionId, actor, (session) =>
        renewClaim({ turnId, epoch, runner: this.name, activeMs }, session),
      );
    } catch (error) {
      if (!(error instanceof TurnLost)) this.log.warn(`${turnId}: ${messageOf(error)}`);
    }
  }

  /** This process stops: the turn goes back to the queue, so that another one need not wait for the lease. */
  private async giveBack(reference: TurnReference, actor: Actor, epoch: number, activeMs: number): Promise<void> {
    try {
      await this.decisions.run(sessionKind, reference.sessionId, actor, (session) =>
        requeueTurn({ turnId: reference.turnId, epoch, now: this.now(), activeMs }, session),
      );
    } catch (error) {
      if (!(error instanceof TurnLost)) throw error;
    }
  }

  /** The session changed: stop at once when the turn is final or was taken over. */
  private checkOwnership(sessionId: string, turnId: string, epoch: number, abort: AbortController): void {
    this.decisions
      .load(sessionKind, sessionId)
      .then(({ state }) => {
        const open = state.open.get(turnId);
        if (!open || open.epoch !== epoch) abort.abort(new TurnLost(turnId));
      })
      .catch((error: unknown) => {
        this.log.warn(`${turnId}: ${messageOf(error)}`);
      });
  }

  private now(): string {
    return rfc3339(this.clock.now());
  }
}

/** Lease that hints who runs a turn. */
export function leaseName(turnId: string): string {
  return `turn:${turnId}`;
}

function callUsage(usage: Required<Omit<Usage, 'calls'>>): Usage {
  const counted: Usage = { calls: 1 };
  for (const counter of [
    'input_tokens',
    'output_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'reasoning_tokens',
  ] as const) {
    if (usage[counter] > 0) counted[counter] = usage[counter];
  }
  return counted;
}

function storedBlock(block: ModelBlock): Block {
  if (block.type === 'image' || block.type === 'document') throw new ModelFailure('a model answered with media', false);
  return block as unknown as Block;
}
