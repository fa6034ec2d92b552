import { Injectable } from '@nestjs/common';
import { Clock, ModelFailure, sha256Hex, uuidFrom, type ModelEvent, type ModelRequest } from '@aos/kernel';
import { WorkerModels, type ModelCaller } from '@aos/sessions/published';
import { GrowingAnswer, generationRequest, readAnswer, type Route } from './generation.decide.js';
import { Wake } from './wake.js';
import { WorkerJobs, type JobDelta, type JobOutcome, type WorkerJob } from './worker-jobs.js';

/** Pieces that wait to be shown; beyond it the rest comes with the whole answer. */
const waitingMax = 10_000;
const lookEveryMs = 60_000;
const unavailable: ReadonlySet<string> = new Set(['worker_unavailable', 'worker_queue_full']);

/** Each call of a worker's model is a job: its pieces are shown as they come, its report is the answer. */
@Injectable()
export class JobbedWorkerModels extends WorkerModels {
  constructor(
    private readonly jobs: WorkerJobs,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async *stream(
    caller: ModelCaller,
    route: Route,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const left = new AbortController();
    const wake = new Wake(this.clock);
    const pieces: JobDelta[] = [];
    const ended: { outcome: JobOutcome | null; error: unknown; isOver: boolean } = {
      outcome: null,
      error: null,
      isOver: false,
    };
    const either = AbortSignal.any([signal, left.signal]);
    const running = this.jobs
      .run(jobOf(caller, route, request), either, {
        delta: (piece) => {
          if (pieces.length < waitingMax) pieces.push(piece);
          wake.wake();
        },
      })
      .then(
        (outcome) => {
          ended.outcome = outcome;
        },
        (error: unknown) => {
          ended.error = error;
        },
      )
      .finally(() => {
        ended.isOver = true;
        wake.wake();
      });
    try {
      const answer = new GrowingAnswer();
      yield* this.grown(answer, pieces, () => ended.isOver, wake, signal);
      await running;
      if (!ended.outcome) throw ended.error;
      yield* whole(answer, ended.outcome, route);
    } finally {
      left.abort();
      await running;
    }
  }

  /**
   * Until the job is over. Another worker that begins anew is shown anew: the caller asks again and meets the same job.
   */
  private async *grown(
    answer: GrowingAnswer,
    pieces: JobDelta[],
    isOver: () => boolean,
    wake: Wake,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    let attempt: number | null = null;
    while (!isOver()) {
      const piece = pieces.shift();
      if (!piece) {
        await wake.within(lookEveryMs, signal);
        if (signal.aborted) return; // the job's own end follows
        continue;
      }
      if (attempt !== null && piece.attempt !== attempt && answer.hasBegun)
        throw new ModelFailure('another worker began anew', true, 0);
      attempt = piece.attempt;
      yield* answer.grow(piece.delta);
    }
  }
}

function* whole(answer: GrowingAnswer, outcome: JobOutcome, route: Route): Generator<ModelEvent> {
  if (outcome.status === 'cancelled') throw new ModelFailure('the call was cancelled', false);
  if (outcome.status === 'failed')
    throw new ModelFailure(
      outcome.message,
      false,
      null,
      unavailable.has(outcome.errorType) ? 'worker_unavailable' : 'model_error',
    );
  const read = readAnswer(outcome.result);
  if ('fault' in read) throw new ModelFailure(`the worker's answer cannot be read: ${read.fault}`, false);
  const missing = answer.finish(read.content);
  if (!missing) throw new ModelFailure('the worker reported another answer than it had shown', true, 0);
  yield* missing;
  yield {
    type: 'done',
    stop: read.stop,
    usage: read.usage,
    model: read.model ?? route.model,
    provider: route.provider,
  };
}

/** The same request of the same turn is the same job; one that changed meanwhile, by a nudge, is another. */
function jobOf({ orgId, sessionId, turnId, agentId }: ModelCaller, route: Route, request: ModelRequest): WorkerJob {
  const body = generationRequest(route, request);
  const id = uuidFrom(turnId, String(request.callIndex), sha256Hex(JSON.stringify(body)));
  return {
    orgId,
    deliveryId: `dlv_${id.replaceAll('-', '')}`,
    origin: 'agent_llm_call',
    actor: { principalId: agentId, kind: 'agent' },
    work: { kind: 'llm_generation', ...route, request: body },
    turn: { sessionId, turnId },
  };
}
