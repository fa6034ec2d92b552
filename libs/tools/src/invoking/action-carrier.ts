import { Injectable } from '@nestjs/common';
import type { Identity, JsonObject } from '@aos/kernel';
import { SealBroken } from '@aos/platform';
import { ActionDirectory, type CatalogAction } from '@aos/definitions/published';
import { Builtins } from '../builtins/builtins.js';
import type { Carried } from '../deliveries/carried.js';
import { HttpDeliveries } from '../deliveries/http-deliveries.js';
import type { InvokedAction } from '../invocation/invocation.events.js';
import { WorkerActions } from '../workers/worker-actions.js';

/** One direct invocation, recorded already. */
export interface DirectInvocation {
  who: Identity;
  action: Pick<InvokedAction, 'name' | 'endpoint_kind'>;
  input: JsonObject;
  deliveryId: string;
}

/** Carries out actions that are called outside a turn, each kind in its own way. */
@Injectable()
export class ActionCarrier {
  constructor(
    private readonly http: HttpDeliveries,
    private readonly builtins: Builtins,
    private readonly actions: ActionDirectory,
    private readonly workers: WorkerActions,
  ) {}

  /** Why the action cannot be called now, as the catalog's reasons go; null when it can. */
  async unready(orgId: string, { name, endpoint_kind: kind }: CatalogAction): Promise<string | null> {
    switch (kind) {
      case 'builtin':
        return this.builtins.isDirect(name) ? null : 'agent_owned_only';
      case 'worker':
        return (await this.workers.isTaken(orgId, name)) ? null : 'provider_unavailable';
      case 'http':
        return (await this.canSign(orgId, name)) ? null : 'credentials_unreadable';
    }
  }

  /**
   * Gives an error for every failure of the action. Throws the signal's reason when that is aborted, and
   * `StoreUnavailable`.
   */
  async carryOut(
    { who, action: { name, endpoint_kind: kind }, input, deliveryId }: DirectInvocation,
    signal: AbortSignal,
  ): Promise<Carried> {
    const delivery = {
      orgId: who.orgId,
      name,
      actor: { principalId: who.principalId, kind: who.kind },
      origin: { kind: 'direct_action_invoke' as const },
      parameters: input,
      deliveryId,
      use: { kind: 'direct' as const, principalId: who.principalId },
    };
    switch (kind) {
      case 'builtin':
        return this.builtins.runDirect(name, who, input, deliveryId);
      case 'http':
        return this.http.carryOut(delivery, signal);
      case 'worker':
        return this.workers.carryOut(delivery, signal);
    }
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
