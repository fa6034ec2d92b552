import { Injectable } from '@nestjs/common';
import { ActionDirectory, type ActionRecord } from '@aos/definitions/published';
import type { ReportProgress } from '@aos/sessions/published';
import { noFacts, notCarried, type Carried, type DeliveryFacts } from '../deliveries/carried.js';
import type { ActionDelivery } from '../deliveries/http-deliveries.js';
import { WorkerJobs, type JobOutcome, type WorkerJob } from './worker-jobs.js';

/** Custom actions of the kind `worker`: each call is a job of a worker. */
@Injectable()
export class WorkerActions {
  constructor(
    private readonly jobs: WorkerJobs,
    private readonly actions: ActionDirectory,
  ) {}

  /**
   * Gives an error for every failure of the action. Throws the signal's reason when that is aborted, and
   * `StoreUnavailable`.
   */
  async carryOut(delivery: ActionDelivery, signal: AbortSignal, progress?: ReportProgress): Promise<Carried> {
    const record = await this.actions.record(delivery.orgId, delivery.name);
    if (!record) return notCarried('not_found', `there is no action ${delivery.name}`);
    const { invocation_format: format } = record.wire;
    const known: Partial<DeliveryFacts> = { action: { id: record.id, format } };
    const fault = await this.actions.inputFault(record, delivery.parameters);
    if (fault)
      return notCarried(
        'invalid_argument',
        `the input does not fit at ${fault.path || '/'}: ${fault.message}`,
        {},
        known,
      );
    return this.carried(record, await this.jobs.run(jobOf(delivery), signal, progress ? { progress } : {}), known);
  }

  /** Whether a worker that would carry it out is online, as far as that is known. */
  isTaken(orgId: string, name: string): Promise<boolean> {
    return this.jobs.takesAction(orgId, name);
  }

  private async carried(record: ActionRecord, outcome: JobOutcome, known: Partial<DeliveryFacts>): Promise<Carried> {
    if (outcome.status === 'failed') return notCarried(outcome.errorType, outcome.message, {}, known);
    if (outcome.status === 'cancelled')
      return notCarried('cancelled', 'the call was cancelled', { reason: outcome.reason }, known);
    const fault = await this.actions.outputFault(record, outcome.result);
    if (fault)
      return notCarried(
        'invalid_reply',
        `the output does not fit its schema at ${fault.path || '/'}: ${fault.message}`,
        {},
        known,
      );
    return { answer: { output: outcome.result, context: [] }, facts: { ...noFacts, ...known } };
  }
}

function jobOf({ orgId, name, actor, origin, parameters, deliveryId }: ActionDelivery): WorkerJob {
  return {
    orgId,
    deliveryId,
    origin: origin.kind,
    actor,
    work: { kind: 'action_execution', actionName: name, parameters },
    ...(origin.kind === 'agent_tool_call'
      ? { turn: { sessionId: origin.sessionId, turnId: origin.turnId, toolCallId: origin.toolCallId } }
      : {}),
  };
}
