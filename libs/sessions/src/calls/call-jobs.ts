import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, FairQueue, Ids, Leases, LiveBus, StoreUnavailable, rfc3339, messageOf } from '@aos/kernel';
import { Decisions, OwnedLeases, failpoint, serviceActor, type Decided } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { LivePublisher, type ShownCall } from '../live/live-publisher.js';
import { Toolbox, type CallResult, type ToolContext } from './toolbox.js';
import type { Block, CallJob, SessionEvent, ToolCall, ToolOutcome } from '../session/session.events.js';
import { turnRowId } from '../session/session.ids.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { finishJob } from '../turn/jobs.decide.js';

const atOnceMax = 2048;
/** Of one organization: endpoints that hang delay no calls of other organizations (invariant 28). */
const atOncePerOrganizationMax = 256;
const waitingMax = 20_000;
const waitingPerOrganizationMax = 10_000;
const recordTriesMax = 300;
const recordEveryMs = 1000;

export interface JobReference {
  orgId: string;
  sessionId: string;
  turnId: string;
  call: ToolCall;
  job: CallJob;
}

/** The turn no longer waits for the call, or this process stops. */
class JobOver extends Error {}

class JobTimeout extends Error {}

/** Says that a turn which waited is in the queue again. */
export type ResumedListener = (orgId: string, sessionId: string, state: SessionState) => void;

/**
 * Carries out calls that go on outside their turns (rule T9): at most so many at once, the rest in line. A result is a
 * command to the session, which takes it once; what comes late is dropped there. Nothing here outlives the process:
 * `JobRecovery` finds what it leaves behind.
 */
@Injectable()
export class CallJobs implements OnApplicationShutdown {
  private readonly log = new Logger('jobs');
  /** By delivery id: what runs, waits in line, or is being recorded. */
  private readonly owned = new Set<string>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly runningOf = new Map<string, number>();
  private readonly queue = new FairQueue<JobReference>(waitingPerOrganizationMax, waitingMax);
  private readonly stopSignal = new AbortController();
  private readonly leases: OwnedLeases;
  private resumed: ResumedListener = () => undefined;

  constructor(
    private readonly decisions: Decisions,
    private readonly agents: AgentDirectory,
    private readonly toolbox: Toolbox,
    private readonly bus: LiveBus,
    leases: Leases,
    private readonly clock: Clock,
    ids: Ids,
    leaseMs: number,
  ) {
    this.leases = new OwnedLeases(leases, clock, {
      owner: `jobs_${ids.ulid()}`,
      leaseMs,
      names: () => [...this.owned].map(jobLease),
    });
  }

  whenResumed(listener: ResumedListener): void {
    this.resumed = listener;
  }

  holds(deliveryId: string): boolean {
    return this.owned.has(deliveryId);
  }

  /**
   * Runs `record`, whose events may start these calls as jobs, and starts those that it did. Meanwhile recovery in this
   * process does not take them for lost.
   */
  async begin(
    reference: Omit<JobReference, 'call' | 'job'>,
    calls: readonly ToolCall[],
    record: () => Promise<readonly SessionEvent[]>,
  ): Promise<readonly SessionEvent[]> {
    const reserved = calls.filter(({ delivery_id: id }) => !this.owned.has(id));
    for (const { delivery_id: id } of reserved) this.owned.add(id);
    const started = new Set<string>();
    try {
      const events = await record();
      for (const event of events) {
        const call =
          event.type === 'ToolJobStarted'
            ? reserved.find(({ tool_call_id: id }) => id === event.data.tool_call_id)
            : undefined;
        if (event.type !== 'ToolJobStarted' || !call || !this.start({ ...reference, call, job: event.data.job }))
          continue;
        started.add(call.delivery_id);
      }
      return events;
    } finally {
      for (const { delivery_id: id } of reserved) if (!started.has(id)) this.owned.delete(id);
    }
  }

  /** Hands a job's result to its turn; gives whether it was taken. */
  async finish(orgId: string, sessionId: string, turnId: string, outcome: ToolOutcome): Promise<boolean> {
    const actor = serviceActor(orgId, 'svc.jobs', `${turnId}:${outcome.tool_call_id}`);
    const decided = await this.decisions.run(sessionKind, sessionId, actor, (session) =>
      session.opening?.org_id === orgId ? finishJob({ turnId, outcome, now: rfc3339(this.clock.now()) }, session) : [],
    );
    this.tell(orgId, sessionId, decided);
    return decided.events.length > 0;
  }

  /** A job ended: its turn may be in the queue again. */
  tell(orgId: string, sessionId: string, { events, state }: Decided<SessionState, SessionEvent>): void {
    if (events.length > 0) this.resumed(orgId, sessionId, state);
  }

  /** Gives up what is under way; the calls stay recorded and are sent again elsewhere, or here after the next start. */
  async onApplicationShutdown(): Promise<void> {
    this.queue.clear();
    this.stopSignal.abort(new JobOver());
    this.leases.close();
    await Promise.allSettled(this.running.values());
  }

  /** False when there is no place even in line: recovery starts it later. */
  private start(reference: JobReference): boolean {
    if (this.stopSignal.signal.aborted) return false;
    if (this.mayRun(reference.orgId)) {
      this.launch(reference);
      return true;
    }
    if (!this.queue.hasRoom(reference.orgId)) return false;
    this.queue.push(reference.orgId, reference);
    return true;
  }

  private mayRun(orgId: string): boolean {
    return this.running.size < atOnceMax && (this.runningOf.get(orgId) ?? 0) < atOncePerOrganizationMax;
  }

  private count(orgId: string, change: 1 | -1): void {
    const now = (this.runningOf.get(orgId) ?? 0) + change;
    if (now > 0) this.runningOf.set(orgId, now);
    else this.runningOf.delete(orgId);
  }

  private launch(reference: JobReference): void {
    const {
      orgId,
      call: { delivery_id: id },
    } = reference;
    this.count(orgId, 1);
    this.leases.acquire(jobLease(id));
    const work = this.run(reference)
      .catch((error: unknown) => {
        this.log.error(`${id}: ${error instanceof Error ? error.stack : String(error)}`);
      })
      .then(() => {
        this.running.delete(id);
        this.count(orgId, -1);
        this.owned.delete(id);
        this.leases.release(jobLease(id));
        const next = this.queue.shift((waiting) => this.mayRun(waiting));
        if (next) this.launch(next);
      });
    this.running.set(id, work);
  }

  private async run(reference: JobReference): Promise<void> {
    const { sessionId, turnId, call, job } = reference;
    const abort = new AbortController();
    const stop = () => {
      abort.abort(this.stopSignal.signal.reason);
    };
    this.stopSignal.signal.addEventListener('abort', stop, { once: true });
    const watch = this.bus.subscribe(`ring:session-${sessionId}`, () => {
      this.checkWanted(reference, abort);
    });
    const timer = this.clock.after(job.timeout_ms, () => {
      abort.abort(new JobTimeout());
    });
    try {
      const context = await this.contextOf(reference);
      if (!context) return;
      const result = await this.resultOf(context, call, abort.signal);
      if (!result) return;
      const outcome = { tool_call_id: call.tool_call_id, ...result };
      if (await this.record(reference, outcome)) this.show(context, call, outcome);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.log.warn(`${turnId} ${call.tool_call_id}: ${error.message}; left for recovery`);
    } finally {
      timer.cancel();
      watch.close();
      this.stopSignal.signal.removeEventListener('abort', stop);
    }
  }

  /** Null when the call is no longer open. */
  private async contextOf({ orgId, sessionId, turnId, call }: JobReference): Promise<ToolContext | null> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    const turn = state.open.get(turnId);
    if (!state.opening || !turn || !isWanted(state, turnId, call)) return null;
    const agent = await this.agents.agent(orgId, state.opening.agent_id);
    return agent ? { orgId, sessionId, turn, agent } : null;
  }

  /** Null when the turn no longer waits for the call, or the service stops. */
  private async resultOf(context: ToolContext, call: ToolCall, signal: AbortSignal): Promise<CallResult | null> {
    try {
      signal.throwIfAborted();
      failpoint('before-job-dispatch');
      const progress = this.live(context).progressOf(shownCall(context, call), call);
      const result = await this.toolbox.job(context, call, progress.report, signal).finally(() => {
        progress.end();
      });
      failpoint('after-job-dispatch');
      return result ?? (await aborted(signal));
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (reason instanceof JobOver) return null;
      if (reason instanceof StoreUnavailable) throw reason;
      if (reason instanceof JobTimeout) return failure('timeout', 'the call did not end in time');
      this.log.error(`${call.delivery_id}: ${reason instanceof Error ? reason.stack : String(reason)}`);
      return failure('internal_error', 'the call broke off by a fault of the service');
    }
  }

  /** The effect has happened: a log that does not answer for a while must not make it happen again. */
  private async record(reference: JobReference, outcome: ToolOutcome): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.finish(reference.orgId, reference.sessionId, reference.turnId, outcome);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || tries >= recordTriesMax || this.stopSignal.signal.aborted)
          throw error;
        await this.clock.sleep(recordEveryMs);
      }
    }
  }

  private show(context: ToolContext, call: ToolCall, outcome: ToolOutcome): void {
    const content: Block[] =
      typeof outcome.content === 'string' ? [{ type: 'text', text: outcome.content }] : outcome.content;
    this.live(context).signal({
      type: 'tool_result',
      ...shownCall(context, call),
      content,
      is_error: outcome.is_error,
      status: outcome.status,
    });
  }

  private live({ sessionId, turn: { turn } }: ToolContext): LivePublisher {
    return new LivePublisher(this.bus, this.clock, sessionId, turn.id, (error) => {
      this.log.warn(`${turn.id}: ${String(error)}`);
    });
  }

  /** The session changed: give the call up when its turn was cancelled or its wait was interrupted. */
  private checkWanted({ sessionId, turnId, call }: JobReference, abort: AbortController): void {
    this.decisions
      .load(sessionKind, sessionId)
      .then(({ state }) => {
        if (!isWanted(state, turnId, call)) abort.abort(new JobOver());
      })
      .catch((error: unknown) => {
        this.log.warn(`${turnId}: ${messageOf(error)}`);
      });
  }
}

function shownCall({ sessionId, turn }: ToolContext, call: ToolCall): ShownCall {
  return {
    message_id: turnRowId(sessionId, turn.ordinal, turn.nextIndex - 1),
    content_index: call.content_index,
    tool_call_id: call.tool_call_id,
    tool_name: call.name,
  };
}

/** Lease that hints who carries a job out. */
export function jobLease(deliveryId: string): string {
  return `job:${deliveryId}`;
}

function isWanted(state: SessionState, turnId: string, call: ToolCall): boolean {
  return (
    state.open
      .get(turnId)
      ?.pending.some((entry) => entry.outcome === null && entry.job && entry.call.tool_call_id === call.tool_call_id) ??
    false
  );
}

function failure(code: string, message: string): CallResult {
  return { status: 'error', content: JSON.stringify({ error: { code, message } }), is_error: true };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => {
      reject(signal.reason instanceof Error ? signal.reason : new JobOver());
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
