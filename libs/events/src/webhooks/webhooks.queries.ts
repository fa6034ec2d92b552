import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { Clock, EventStore, Ids, ReadStore, collectionOf, rfc3339, type Identity } from '@aos/kernel';
import { CursorSeal, Projectors, listScope, visibleList } from '@aos/platform';
import { Backlog, type Deliveries } from '../webhook-deliveries/backlog.js';
import { HookPosition } from '../webhook-deliveries/hook-position.js';
import { webhookRows, webhooksProjection } from '../webhook/webhook.projection.js';
import { webhookWire } from '../webhook/webhook.wire.js';
import { WebhookDirectory } from './webhook-directory.js';

@Injectable()
export class WebhookQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly directory: WebhookDirectory,
    private readonly projectors: Projectors,
    private readonly seal: CursorSeal,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** Refuses not_found. */
  async get(who: Identity, webhookId: string): Promise<Reply<'getWebhook'>> {
    return webhookWire(await this.directory.get(who, webhookId));
  }

  /** Newest first. */
  async list({ orgId }: Identity, query: QueryOf<'listWebhooks'>): Promise<Reply<'listWebhooks'>> {
    this.projectors.requireCaughtUp(collectionOf(webhooksProjection));
    const scope = listScope(orgId, 'webhooks');
    return visibleList(
      this.readStore,
      { collection: webhookRows, scope: [orgId], orderBy: { index: 'created', direction: 'desc' } },
      { ...query, seal: this.seal, scope },
      async ({ doc }) => webhookWire(doc),
    );
  }

  /** What waits, then what was given up, as the process that delivers kept it last. Refuses not_found. */
  async deliveries(who: Identity, webhookId: string): Promise<Reply<'listWebhookDeliveries'>> {
    const { id, org_id: orgId } = await this.directory.get(who, webhookId);
    const { store, clock, ids } = this;
    const last = await new HookPosition({ store, clock, ids }, orgId, id, '').last();
    return { items: last?.deliveries ? deliveriesWire(last.deliveries) : [] };
  }
}

function deliveriesWire(deliveries: Deliveries): Schema<'WebhookDelivery'>[] {
  const { waiting, given_up: givenUp, down } = deliveries;
  const backlog = new Backlog(deliveries);
  const probedAt = down && backlog.nextAt;
  const probed = probedAt === null ? null : backlog.due(probedAt);
  const ends = ({ last_status, last_error }: { last_status: number | null; last_error: string | null }) => ({
    last_status,
    last_error,
  });
  return [
    ...waiting.map((event) => {
      const at = down ? (event.position === probed?.position ? probedAt : null) : event.next_at;
      return {
        event_id: event.id,
        tries: event.tries,
        status: 'waiting' as const,
        next_at: at === null ? null : rfc3339(at),
        ...ends(event),
      };
    }),
    ...givenUp.map((event) => ({
      event_id: event.id,
      tries: event.tries,
      status: 'given_up' as const,
      next_at: null,
      ...ends(event),
    })),
  ];
}
