import { Injectable, Optional } from '@nestjs/common';
import type { Identity, JsonObject } from '@aos/kernel';
import { SealBroken } from '@aos/platform';
import { ActionDirectory, type CatalogAction } from '@aos/definitions/published';
import { Builtins } from '../builtins/builtins.js';
import { noFacts, notCarried, type Carried } from '../deliveries/carried.js';
import { HttpDeliveries } from '../deliveries/http-deliveries.js';
import type { InvokedAction } from '../invocation/invocation.events.js';
import { WorkerJobs, type JobOutcome } from '../workers/worker-jobs.js';

/** One direct invocation, recorded already. */
export interface DirectInvocation {
  who: Identity;
  action: Pick<InvokedAction, 'name' | 'endpoint_kind'>;
  input: JsonObject;
  deliveryId: string;
}

/** Carries actions out for whoever is no agent in a turn, each kind in its own way. */
@Injectable()
export class ActionCarrier {
  constructor(
    private readonly http: HttpDeliveries, private readonly builtins: Builtins, private readonly actions: ActionDirectory, @Optional() private readonly workers: WorkerJobs | null,
  ) {}

  /** Why the action cannot be called now, as the catalog's reasons go; null when it can. */
  async unready(orgId: string, { name, endpoint_kind: kind }: CatalogAction): Promise<string | null> {
    switch (kind) {
      case 'builtin': return this.builtins.isDirect(name) ? null : 'agent_owned_only';
      case 'worker': return this.workers ? null : 'provider_unavailable';
      case 'http': return (await this.canSign(orgId, name)) ? null : 'credentials_unreadable';
    }
  }

  /** Gives an error for whatever goes wrong with the action. Throws the signal's reason when that is aborted, and `StoreUnavailable`. */
  async carryOut({ who, action: { name, endpoint_kind: kind }, input, deliveryId }: DirectInvocation, signal: AbortSignal): Promise<Carried> {
    const actor = { principalId: who.principalId, kind: who.kind };
    switch (kind) {
      case 'builtin': return this.builtins.runDirect(name, who, input, deliveryId);
      case 'http': return this.http.carryOut({ orgId: who.orgId, name, actor, origin: { kind: 'direct_action_invoke' }, parameters: input, deliveryId }, signal);
      case 'worker': {
        if (!this.workers) return notCarried('action_not_ready', `no worker carries out ${name}`);
        const work = { kind: 'action_execution' as const, actionName: name, parameters: input };
        return this.ofWorker(who.orgId, name, await this.workers.run({ orgId: who.orgId, deliveryId, origin: 'direct_action_invoke', actor, work }, signal));
      }
    }
  }

  private async ofWorker(orgId: string, name: string, outcome: JobOutcome): Promise<Carried> {
    if (outcome.status === 'failed') return notCarried(outcome.errorType, outcome.message);
    if (outcome.status === 'cancelled') return notCarried('cancelled', outcome.reason);
    const record = await this.actions.record(orgId, name);
    const fault = record ? await this.actions.outputFault(record, outcome.result) : null;
    if (fault) return notCarried('invalid_reply', `the output does not fit its schema at ${fault.path || '/'}: ${fault.message}`);
    return { answer: { output: outcome.result, context: [] }, facts: noFacts };
  }

  private async canSign(orgId: string, name: string): Promise<boolean> {
    try {
      return (await this.actions.dispatched(orgId, name))?.signing != null;
    } catch (error) {
      if (error instanceof SealBroken) return false;
      throw error;
    }
  }
}
