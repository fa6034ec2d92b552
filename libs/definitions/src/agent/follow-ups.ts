import { Injectable } from '@nestjs/common';
import type { Identity } from '@aos/kernel';
import type { Disposition } from '../definition/definition.events.js';

/** What carries changes of an agent's custody into other contexts. */
export interface FollowUpCarrier {
  /**
   * Looks at each disposition before anything is written.
   *
   * Refuses  not_found for what is not there or out of the caller's custody; invalid_argument {argument:
   *          affected_resource_dispositions} for an action that the resource does not know; conflict {reason:
   *          session_file}; blueprint_resource_protected.
   * Source   rule TE11.
   */
  judge(who: Identity, dispositions: readonly Disposition[]): Promise<void>;

  /** Carries out what an agent's record says is left; what cannot be done now is left to its timer. */
  carryOutOrLeave(orgId: string, agentId: string): Promise<void>;
}

/** Where the context that knows all the others registers its carrier: definitions cannot import it. */
@Injectable()
export class FollowUps {
  private carrier: FollowUpCarrier | null = null;

  register(carrier: FollowUpCarrier): void {
    this.carrier = carrier;
  }

  judge(...given: Parameters<FollowUpCarrier['judge']>): Promise<void> {
    return this.registered().judge(...given);
  }

  carryOutOrLeave(orgId: string, agentId: string): Promise<void> {
    return this.registered().carryOutOrLeave(orgId, agentId);
  }

  private registered(): FollowUpCarrier {
    if (!this.carrier) throw new Error('this process carries out no changes of custody');
    return this.carrier;
  }
}
