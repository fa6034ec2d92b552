import { Injectable, Optional } from '@nestjs/common';
import { Metrics, type CounterMetric } from '@aos/platform';
import type { DisabledReason } from '../webhook/webhook.events.js';

/** What operators see of web hooks. */
@Injectable()
export class WebhookMeasures {
  private readonly tries: CounterMetric | undefined;
  private readonly disabledHooks: CounterMetric | undefined;
  private waiting: () => number = () => 0;
  private down: () => number = () => 0;

  constructor(@Optional() metrics?: Metrics) {
    this.tries = metrics?.counter('webhook_tries_total', 'Tries of deliveries to web hooks.', ['outcome']);
    this.disabledHooks = metrics?.counter('webhooks_disabled_total', 'Web hooks that were disabled.', ['reason']);
    metrics?.observedGauge('webhook_events_waiting', 'Events that wait for delivery in this process.', () =>
      this.waiting(),
    );
    metrics?.observedGauge('webhooks_down', 'Web hooks of this process whose endpoint takes nothing.', () =>
      this.down(),
    );
  }

  observe(waiting: () => number, down: () => number): void {
    [this.waiting, this.down] = [waiting, down];
  }

  tried(outcome: 'delivered' | 'failed' | 'dropped'): void {
    this.tries?.add({ outcome });
  }

  disabled(reason: DisabledReason): void {
    this.disabledHooks?.add({ reason });
  }
}
