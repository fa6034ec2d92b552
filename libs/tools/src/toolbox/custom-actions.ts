import { Injectable } from '@nestjs/common';
import { Clock, rfc3339, type JsonObject } from '@aos/kernel';
import { ToolResults, failed, type Outcome } from '../deliveries/tool-result.js';
import type { ReportProgress } from '@aos/sessions/published';
import type { ActionEndpointKind } from '@aos/definitions/published';
import { InvocationRecords } from '../records/invocation-records.js';
import type { Carried } from '../deliveries/carried.js';
import type { CallbackClaims } from '../deliveries/callback-tokens.js';
import { HttpDeliveries, type ActionDelivery, type Brought } from '../deliveries/http-deliveries.js';
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
    const outcome = await this.carried(delivery, kind, signal, () =>
      (kind === 'worker' ? this.workers : this.deliveries).carryOut(delivery, signal, progress),
    );
    if (outcome === 'deferred') throw new Error(`${delivery.deliveryId} cannot be deferred`);
    return outcome;
  }

  /** As `run`, at an endpoint that may take the call and bring the result itself (rule TE81). */
  runDeferrable(
    delivery: ActionDelivery,
    signal: AbortSignal,
    progress: ReportProgress,
  ): Promise<Outcome | 'deferred'> {
    return this.carried(delivery, 'http', signal, () => this.deliveries.carryOutDeferrable(delivery, signal, progress));
  }

  /** The result that such an endpoint brought. */
  async brought(delivery: ActionDelivery, said: Brought, claims: CallbackClaims): Promise<Outcome> {
    const carried = await this.deliveries.brought(delivery, said, claims);
    await this.records.customCall(delivery, 'http', claims.startedAt, carried);
    return this.outcome(delivery.orgId, carried);
  }

  /** The progress that such an endpoint reports, as it may be shown; null: it may not. */
  shown(delivery: ActionDelivery, progress: JsonObject, claims: CallbackClaims): Promise<JsonObject | null> {
    return this.deliveries.shown(delivery, progress, claims);
  }

  private async carried(
    delivery: ActionDelivery,
    kind: ActionEndpointKind,
    signal: AbortSignal,
    carryOut: () => Promise<Carried | 'deferred'>,
  ): Promise<Outcome | 'deferred'> {
    const startedAt = rfc3339(this.clock.now());
    try {
      const carried = await carryOut();
      if (carried === 'deferred') return carried;
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
