import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, LiveBus, StoreUnavailable, rfc3339, messageOf } from '@aos/kernel';
import {
  Decisions,
  WorkLeases,
  WorkSlots,
  failpoint,
  recordUntilTaken,
  serviceActor,
  type Decided,
  type OwnedLeases,
  type WorkBounds,
} from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { Audience } from '../live/audience.js';
import { LivePublisher, type ShownCall } from '../live/live-publisher.js';
import { SessionWatches } from '../live/session-watches.js';
import { Toolbox, type CallResult, type Deferred, type ToolContext } from './toolbox.js';
import type { Block, CallJob, SessionEvent, ToolCall, ToolOutcome } from '../session/session.events.js';
import { turnRowId } from '../session/session.ids.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { sessionDecider } from '../session.decider.js';

/** The bounds of one organization: endpoints that hang delay no calls of other organizations (invariant 28). */
const jobBounds: WorkBounds = {
  running: { all: 2048, perOrganization: 256 },
  waiting: { all: 20_000, perOrganization: 10_000 },
};

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
  /** By delivery id. */
  private readonly slots = new WorkSlots<string>(jobBounds);
  private readonly stopSignal = new AbortController();
  private readonly leases: OwnedLeases;
  private resumed: ResumedListener | null = null;

  constructor(
    private readonly decisions: Decisions,
    private readonly agents: AgentDirectory,
    private readonly toolbox: Toolbox,
    private readonly bus: LiveBus,
    private readonly watches: SessionWatches,
    leases: WorkLeases,
    private readonly clock: Clock,
  ) {
    this.leases = leases.owned(
      (id) => `jobs_${id}`,
      () => [...this.slots.ownedKeys].map(jobLease),
    );
  }

  whenResumed(listener: ResumedListener): void {
    this.resumed = listener;
  }

  holds(deliveryId: string): boolean {
    return this.slots.holds(deliveryId);
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
    const ids = calls.map(({ delivery_id: id }) => id);
    return this.slots.reserving(reference.orgId, ids, async (reserved) => {
      const events = await record();
      for (const event of events) {
        if (event.type !== 'ToolJobStarted') continue;
        const { tool_call_id: callId, job } = event.data;
        const call = calls.find(({ tool_call_id: id, delivery_id }) => id === callId && reserved.has(delivery_id));
        if (call) this.start({ ...reference, call, job });
      }
      return events;
    });
  }

  /** Hands a job's result to its turn; gives whether it was taken. */
  async finish(orgId: string, sessionId: string, turnId: string, outcome: ToolOutcome): Promise<boolean> {
    const actor = serviceActor(orgId, 'svc.jobs', `${turnId}:${outcome.tool_call_id}`);
    const command = { orgId, turnId, outcome, now: rfc3339(this.clock.now()) };
    const decided = await this.decisions.decide(sessionDecider.receiveJobResult, sessionId, actor, command);
    this.tell(orgId, sessionId, decided);
    return decided.events.length > 0;
  }

  /** Leaves the call to its endpoint, which brings the result itself; a call that has one by now stays as it is. */
  private async defer({ orgId, sessionId, turnId, call }: JobReference, { deferredForMs }: Deferred): Promise<void> {
    const actor = serviceActor(orgId, 'svc.jobs', `${turnId}:${call.tool_call_id}`);
    const command = { turnId, toolCallId: call.tool_call_id, forMs: deferredForMs, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(sessionDecider.deferJob, sessionId, actor, command);
    failpoint('after-job-deferral');
  }

  /** A job ended: its turn may be in the queue again. */
  tell(orgId: string, sessionId: string, { events, state }: Decided<SessionState, SessionEvent>): void {
    if (events.length > 0) this.resumed?.(orgId, sessionId, state);
  }

  /** Gives up what is under way; the calls stay recorded and are sent again elsewhere, or here after the next start. */
  async onApplicationShutdown(): Promise<void> {
    this.slots.close();
    this.stopSignal.abort(new JobOver());
    this.leases.close();
    await this.slots.idle();
  }

  /** Without room even to wait, recovery starts it later. */
  private start(reference: JobReference): void {
    const id = reference.call.delivery_id;
    this.slots.start(reference.orgId, id, async () => {
      this.leases.acquire(jobLease(id));
      try {
        await this.run(reference);
      } catch (error) {
        this.log.error(`${id}: ${error instanceof Error ? error.stack : String(error)}`);
      } finally {
        this.leases.release(jobLease(id));
      }
    });
  }

  private async run(reference: JobReference): Promise<void> {
    const { sessionId, turnId, call, job } = reference;
    const abort = new AbortController();
    const stop = () => {
      abort.abort(this.stopSignal.signal.reason);
    };
    this.stopSignal.signal.addEventListener('abort', stop, { once: true });
    const onTrouble = (error: unknown) => {
      this.log.warn(`${turnId}: ${String(error)}`);
    };
    const audience = new Audience(this.watches, sessionId, this.clock, onTrouble);
    const live = new LivePublisher(this.bus, this.clock, sessionId, turnId, audience, onTrouble);
    const watch = this.bus.subscribe(`ring:session-${sessionId}`, (message) => {
      if (!audience.hear(message)) this.checkWanted(reference, abort);
    });
    audience.begin(watch);
    const timer = this.clock.after(job.timeout_ms, () => {
      abort.abort(new JobTimeout());
    });
    try {
      const context = await this.contextOf(reference);
      if (!context) return;
      const whole = await this.decisions.whole(reference.orgId, call);
      const result = await this.resultOf(context, whole, live, abort.signal);
      if (!result) return;
      if ('deferredForMs' in result) {
        await recordUntilTaken(() => this.defer(reference, result), this.clock, this.stopSignal.signal);
        return;
      }
      const outcome = { tool_call_id: call.tool_call_id, ...result };
      const finish = () => this.finish(reference.orgId, sessionId, turnId, outcome);
      if (await recordUntilTaken(finish, this.clock, this.stopSignal.signal)) showResult(live, context, call, outcome);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.log.warn(`${turnId} ${call.tool_call_id}: ${error.message}; left for recovery`);
    } finally {
      timer.cancel();
      audience.close();
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
  private async resultOf(
    context: ToolContext,
    call: ToolCall,
    live: LivePublisher,
    signal: AbortSignal,
  ): Promise<CallResult | Deferred | null> {
    try {
      signal.throwIfAborted();
      failpoint('before-job-dispatch');
      const progress = live.progressOf(shownCall(context, call), call);
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

/** Shows the result of a call to those that follow its session. */
export function showResult(live: LivePublisher, context: ToolContext, call: ToolCall, outcome: ToolOutcome): void {
  const content: Block[] =
    typeof outcome.content === 'string' ? [{ type: 'text', text: outcome.content }] : outcome.content;
  live.signal({
    type: 'tool_result',
    ...shownCall(context, call),
    content,
    is_error: outcome.is_error,
    status: outcome.status,
  });
}

/** The fields of a call that live signals carry. */
export function shownCall({ sessionId, turn }: ToolContext, call: ToolCall): ShownCall {
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
