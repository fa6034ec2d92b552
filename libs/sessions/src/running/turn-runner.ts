import { Inject, Injectable, Logger } from '@nestjs/common';
import { ShortLivedMap, ShortLivedSet, StoreUnavailable } from '@aos/kernel';
import { Settings, WorkLeases, type OwnedLeases } from '@aos/platform';
import type { AgentRecord } from '@aos/definitions/published';
import { ToolCalls } from '../calls/tool-calls.js';
import type { ToolContext } from '../calls/toolbox.js';
import { nextToRun, openCalls } from '../session/open-turns.state.js';
import { sessionDecider } from '../session.decider.js';
import { TurnLost } from '../turn/run.decide.js';
import { ModelCall } from './model-call.js';
import { RunningAgents } from './running-agents.js';
import { TurnClaims } from './turn-claims.js';
import { TurnFailure } from './turn-failure.js';
import type { TurnReference } from './turn-reference.js';
import type { AdmittedTurn, TurnClaim, TurnRun } from './turn-run.js';

export type RunnerSettings = Pick<Settings, 'turnMaxModelCalls' | 'turnMaxToolCalls'>;

/** This process is going down. */
class Stopping extends TurnLost {}

/**
 * Runs one turn to its end, to a wait, or until another process takes it over. Each step is committed before the next
 * begins; the claim's epoch fences: after a takeover or a cancel nothing more is written.
 */
@Injectable()
export class TurnRunner {
  private readonly log = new Logger('turns');
  private readonly owned = new ShortLivedMap<true>();
  private readonly running = new ShortLivedSet<TurnRun>();
  private stopped: Stopping | null = null;
  private readonly leases: OwnedLeases;

  constructor(
    private readonly claims: TurnClaims,
    private readonly agents: RunningAgents,
    private readonly model: ModelCall,
    private readonly tools: ToolCalls,
    leases: WorkLeases,
    @Inject(Settings) private readonly settings: RunnerSettings,
  ) {
    this.leases = leases.owned(
      (id) => `runner_${id}`,
      () => this.owned.names().map(leaseName),
    );
  }

  /** Name under which this process claims turns. */
  get name(): string {
    return this.leases.owner;
  }

  /**
   * Gives the session's next turn to run, if one waits. Throws `StoreUnavailable` when the log cannot answer: recovery
   * goes on later.
   */
  async run(reference: TurnReference): Promise<string | null> {
    const agentId = (await this.claims.load(reference.sessionId)).state.opening?.agent_id;
    if (!agentId) return null;
    return this.owning(reference, async () => {
      const claim = await this.claims.claim(reference, agentId, this.name);
      return claim ? this.runClaimed(claim) : undefined;
    });
  }

  /** As `run`, for a turn that the append of its admission claimed: what that append rests on is not read again. */
  runAdmitted(admitted: AdmittedTurn): Promise<string | null> {
    return this.owning(admitted.claim.reference, () => this.runClaimed(admitted.claim, admitted.agent));
  }

  /** Asks for the lease of a turn that is being claimed here, once. */
  own(turnId: string): void {
    if (this.owned.has(turnId)) return;
    this.owned.set(turnId, true);
    this.leases.acquire(leaseName(turnId));
  }

  disown(turnId: string): void {
    if (this.owned.delete(turnId)) this.leases.release(leaseName(turnId));
  }

  /** Ends every run of this process at its next step; nothing more is written. */
  stop(): void {
    this.stopped = new Stopping('every turn');
    for (const run of this.running.values()) run.stop(this.stopped);
    this.leases.close();
  }

  /** `work` gives the revision of the session since which what this process knows of it is enough, if there is one. */
  private async owning(
    { sessionId, turnId }: TurnReference,
    work: () => Promise<number | undefined>,
  ): Promise<string | null> {
    this.own(turnId);
    let provenAt: number | undefined;
    try {
      provenAt = await work();
    } finally {
      this.disown(turnId);
    }
    const { state } = await this.claims.load(sessionId, provenAt);
    const next = nextToRun(state);
    return next && next.turn.status === 'queued' ? next.turn.id : null;
  }

  /** Gives the revision that the run's last append left, if the run ended right behind it. */
  private async runClaimed(claim: TurnClaim, admittedAgent?: AgentRecord): Promise<number | undefined> {
    const run = this.claims.run(claim);
    const leave = this.running.add(run);
    if (this.stopped) run.stop(this.stopped); // while the turn was claimed
    try {
      const agent = admittedAgent ?? (await this.agents.agent(claim.reference.orgId, claim.agentId));
      await this.steps(run, agent);
    } catch (error) {
      await this.endBadly(run, run.signal.aborted ? run.signal.reason : error);
    } finally {
      leave();
      run.close();
    }
    return run.restsOn;
  }

  /**
   * Until the turn is final, waits, or is lost. Bounded by the runaway guard (rule L19). A step right behind an append
   * of the run rests on what this process knows since; the exact revision of its own append finds what another one
   * wrote.
   */
  private async steps(run: TurnRun, agent: AgentRecord): Promise<void> {
    const { orgId, sessionId, turnId } = run.reference;
    for (;;) {
      run.signal.throwIfAborted();
      const { state, revision } = await this.claims.load(sessionId, run.restsOn);
      const open = state.open.get(turnId);
      if (!open || open.epoch !== run.epoch || open.turn.status !== 'running') return;
      run.looked(revision);
      if (open.toolCalls > this.settings.turnMaxToolCalls)
        throw new TurnFailure('iteration_limit', 'the turn asked for too many tool calls');
      const context: ToolContext = { orgId, sessionId, turn: open, agent };
      if (openCalls(open).length > 0) {
        await this.tools.carryOut(run, context);
        continue;
      }
      // gone or disabled since the run began: fails here (rules R16, A32); changes wait for the next turn
      if (open.calls > 0 || run.passTriedAt !== null) await this.agents.agent(orgId, agent.id);
      if (open.calls >= this.settings.turnMaxModelCalls)
        throw new TurnFailure('iteration_limit', 'the turn made too many model calls');
      if (open.input.input_sequence === null && open.nextIndex === 0)
        await run.commit(sessionDecider.completeWithoutCall, {});
      else if (open.calls > 0 && state.pendingOutcomes.some((waiting) => waiting.turnId === turnId))
        await run.commit(sessionDecider.deliverBeforeCall, {});
      else await this.model.make(run, context, state, revision);
    }
  }

  /** A lost turn is left alone; any other trouble fails it, once. */
  private async endBadly(run: TurnRun, reason: unknown): Promise<void> {
    const { claim, activeMs } = run;
    const partial = run.finished.filter(Boolean);
    if (reason instanceof Stopping) await this.claims.giveBack(claim, activeMs);
    if (reason instanceof TurnLost) return;
    if (reason instanceof StoreUnavailable) throw reason;
    if (!(reason instanceof TurnFailure))
      this.log.error(`${run.reference.turnId}: ${reason instanceof Error ? reason.stack : String(reason)}`);
    const failure =
      reason instanceof TurnFailure
        ? reason
        : new TurnFailure('internal_error', 'the turn broke off by a fault of the service');
    await this.claims.fail(claim, failure, partial);
  }
}

/** Lease that hints who runs a turn. */
export function leaseName(turnId: string): string {
  return `turn:${turnId}`;
}
