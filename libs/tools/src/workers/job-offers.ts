import { Injectable } from '@nestjs/common';
import { Clock, ReadStore, collectionOf, type JsonObject, type QueryCursor } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { sessionKind } from '@aos/sessions/published';
import type { Wanted } from './capability.decide.js';
import type { JobEvent } from './job/job.events.js';
import { openJobsProjection } from './job/job.projection.js';
import { jobKind } from './job/job.state.js';
import { ModelRequests } from './model-requests.js';
import { WorkerJobs } from './worker-jobs.js';

/** A job that waits for a worker, as its row says. */
export interface Offer {
  part: string;
  wanted: Wanted;
  turn: { sessionId: string; turnId: string } | null;
}

const pageRows = 100;
const pagesMax = 10;

/** The jobs that workers can be given, and what a worker is sent to do. */
@Injectable()
export class JobOffers {
  constructor(
    private readonly decisions: Decisions,
    private readonly readStore: ReadStore,
    private readonly requests: ModelRequests,
    private readonly jobs: WorkerJobs,
    private readonly clock: Clock,
  ) {}

  /** Jobs that are available to workers, oldest first; at most the first thousand. */
  async *all(orgId: string): AsyncGenerator<Offer> {
    let after: QueryCursor | undefined;
    for (let page = 0; page < pagesMax; page += 1) {
      const found = await this.readStore.query({
        collection: collectionOf(openJobsProjection),
        scope: [orgId],
        where: [{ index: 'available', lte: this.clock.now() }],
        orderBy: { index: 'created', direction: 'asc' },
        limit: pageRows,
        ...(after ? { after } : {}),
      });
      for (const { key, doc } of found.rows) yield offerOf(key, doc);
      if (!found.next) return;
      after = found.next;
    }
  }

  /** False when the turn of the job is over: the job is retired (rule T19). */
  async isWanted(
    orgId: string,
    part: string,
    { sessionId, turnId }: { sessionId: string; turnId: string },
  ): Promise<boolean> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    if (state.open.has(turnId)) return true;
    await this.jobs.cancel(orgId, `dlv_${part}`, 'turn_over');
    return false;
  }

  /** Null while the request to the model is unknown: the process that waits for the answer is about to put it back. */
  async specOf(part: string): Promise<JsonObject | null> {
    const [first] = await this.decisions.read<JobEvent>(jobKind, part, { from: 0, limit: 1 });
    if (first?.type !== 'JobRequested') return null;
    const { kind, parameters, delivery_id: deliveryId } = first.data;
    if (kind === 'action_execution') return { parameters: parameters ?? {}, delivery_id: deliveryId };
    const request = await this.requests.find(part);
    return request ? { ...request, delivery_id: deliveryId } : null;
  }
}

function offerOf(part: string, doc: JsonObject): Offer {
  const { session_id: sessionId, agent_turn_id: turnId } = doc;
  return {
    part,
    turn: typeof sessionId === 'string' && typeof turnId === 'string' ? { sessionId, turnId } : null,
    wanted:
      doc.kind === 'llm_generation'
        ? { kind: 'llm_generation', provider: String(doc.provider), model: String(doc.model) }
        : { kind: 'action_execution', actionName: String(doc.action_name) },
  };
}
