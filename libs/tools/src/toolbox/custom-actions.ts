import { Injectable } from '@nestjs/common';
import { Clock, rfc3339 } from '@aos/kernel';
import { ToolResults, failed, type Outcome } from '../deliveries/tool-result.js';
import type { ReportProgress } from '@aos/sessions/published';
import type { ActionEndpointKind } from '@aos/definitions/published';
import { InvocationRecords } from '../records/invocation-records.js';
import type { Carried } from '../deliveries/carried.js';
import { HttpDeliveries, type ActionDelivery } from '../deliveries/http-deliveries.js';
import { WorkerActions } from '../workers/worker-actions.js';

export type { ActionDelivery } from '../deliveries/http-deliveries.js';

/** Custom actions as tools: each execution is recorded, and its result is what the model reads. */
@Injectable()
export class CustomActions {
  constructor(
    private readonly deliveries: HttpDeliveries,
    private readonly workers: WorkerActions,
    private readonly records: InvocationRecords,
    private readonly results: ToolResults,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives an error result for every failure of the action. Throws the signal's reason when that is aborted, and
   * `StoreUnavailable`.
   */
  async run(
    delivery: ActionDelivery,
    kind: ActionEndpointKind,
    signal: AbortSignal,
    progress: ReportProgress,
  ): Promise<Outcome> {
    const startedAt = rfc3339(this.clock.now());
    try {
      const carried = await (kind === 'worker' ? this.workers : this.deliveries).carryOut(delivery, signal, progress);
      await this.records.customCall(delivery, kind, startedAt, carried);
      return await this.outcome(delivery.orgId, carried);
    } catch (error) {
      if (signal.aborted) await this.records.givenUp(delivery, kind, startedAt, signal.reason);
      throw error;
    }
  }

  private async outcome(orgId: string, { answer }: Carried): Promise<Outcome> {
    if ('error' in answer) return failed(answer.error.code, answer.error.message, answer.error.details);
    const outcome = await this.results.of(orgId, answer.output);
    return answer.context.length > 0 ? { ...outcome, context: answer.context } : outcome;
  }
}
