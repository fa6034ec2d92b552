import { Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, Leases, LiveBus, ReadStore, Refusal, StoreUnavailable, messageOf, rfc3339 } from '@aos/kernel';
import { webhooksMax } from '../webhook/webhook.limits.js';
import { webhookRows } from '../webhook/webhook.projection.js';
import { webhooksChannel } from '../webhook-deliveries/webhook-runner.js';

const leaseMs = 5_000;
const retryMs = 20;
const triesMax = 250;

/** Room for one more hook, and word of a change for the process that delivers. */
@Injectable()
export class WebhookRoom {
  private readonly log = new Logger('web hooks');

  constructor(
    private readonly readStore: ReadStore,
    private readonly leases: Leases,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Makes one hook of an organization at a time, so that two do not take the last one.
   *
   * Refuses  plan_limit_exceeded {limit: webhooks}; StoreUnavailable while others take too long.
   */
  async withRoom<T>(orgId: string, make: (made: { id: string; now: string }) => Promise<T>): Promise<T> {
    const lease = `webhooks:${orgId}`;
    const owner = this.ids.ulid();
    for (let tried = 0; !(await this.leases.acquire(lease, owner, leaseMs)); tried += 1) {
      if (tried >= triesMax) throw new StoreUnavailable('other web hooks are being made');
      await this.clock.sleep(retryMs);
    }
    try {
      const count = await webhookRows.count(this.readStore, { scope: [orgId] }, webhooksMax);
      if (count >= webhooksMax)
        throw new Refusal('plan_limit_exceeded', { limit: 'webhooks' }, `an organization has ${webhooksMax} at most`);
      return await make({ id: `hook_${this.ids.ulid().toLowerCase()}`, now: rfc3339(this.clock.now()) });
    } finally {
      await this.leases.release(lease, owner).catch((error: unknown) => {
        this.log.debug(`${lease}: ${messageOf(error)}`); // it ends by itself; what was made, or why not, stands
      });
    }
  }

  /** The process that delivers looks at the hook. It looks at all of them every few seconds anyway. */
  changed(webhookId: string): void {
    this.bus.publish(webhooksChannel, webhookId);
  }
}
