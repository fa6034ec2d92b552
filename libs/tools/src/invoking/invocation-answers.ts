import { Inject, Injectable } from '@nestjs/common';
import { Clock, LiveBus, idPart, type JsonObject } from '@aos/kernel';
import { Decisions, Readiness } from '@aos/platform';
import { invocationKind, type InvocationState } from '../invocation/invocation.state.js';
import { InvocationRuns } from './invocation-runs.js';

/** Looked at this often even without a notification. */
const lookEveryMs = 1000;

/** The contract's `ActionInvocationResult`, and whether the invocation is over. */
export interface InvocationAnswer {
  isOver: boolean;
  body: JsonObject;
}

/** Says what became of a direct invocation, whichever process carries it out. */
@Injectable()
export class InvocationAnswers {
  constructor(
    private readonly decisions: Decisions,
    private readonly runs: InvocationRuns,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    @Inject(Readiness) private readonly readiness: Readiness,
  ) {}

  /** Waits for the end until a monotonic time, and no longer than this process serves. */
  async of(invocationId: string, deadline: number): Promise<InvocationAnswer> {
    const part = idPart(invocationId);
    let awake = new AbortController();
    const wake = () => {
      awake.abort();
    };
    let stopping = false;
    const watch = this.bus.subscribe(`ring:invocation-${part}`, wake);
    const stop = this.readiness.onStop(() => {
      stopping = true;
      wake();
    });
    try {
      for (;;) {
        const { state } = await this.decisions.load(invocationKind, part);
        if (state.end) {
          await this.runs.ended(invocationId); // who is told of the end finds its record
          return { isOver: true, body: await this.result(part, state) };
        }
        const leftMs = deadline - this.clock.monotonic();
        if (leftMs <= 0 || stopping)
          return { isOver: false, body: { status: 'active', job_id: state.opening?.job_id ?? '' } };
        if (!awake.signal.aborted) await this.sleep(Math.min(leftMs, lookEveryMs), awake.signal);
        awake = new AbortController();
      }
    } finally {
      watch.close();
      stop.close();
    }
  }

  private async sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.clock.sleep(ms, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async result(part: string, { opening, end }: InvocationState): Promise<JsonObject> {
    const base = { job_id: opening?.job_id ?? '' };
    if (end?.error || end?.status !== 'success')
      return { ...base, status: 'failed', error: end?.error ? `${end.error.code}: ${end.error.message}` : 'cancelled' };
    const [last] = await this.decisions.read(invocationKind, part, { backwards: true, limit: 1 });
    const output = last?.type === 'InvocationFinished' ? last.data.output : null;
    this.decisions.forget(invocationKind, part); // sessions need the room
    return { ...base, status: 'completed', output: output ?? {} };
  }
}
