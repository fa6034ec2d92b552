import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity, JsonObject } from '@aos/kernel';
import { Sockets, Who } from '@aos/platform';
import { frameBytesMax } from './job/job.limits.js';
import { WorkerHub } from './worker-hub.js';
import { WorkerPresence } from './worker-presence.js';
import { revokedWord } from './worker-session.js';

const protocol = 'svc.worker.v1';

@Controller()
export class WorkersController {
  constructor(
    private readonly sockets: Sockets,
    private readonly hub: WorkerHub,
    private readonly presence: WorkerPresence,
  ) {}

  @Get('/v1/workers/socket')
  open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.sockets.accept(request, reply, { protocol, messageBytesMax: frameBytesMax, revokedWord }, (connection) =>
      this.hub.opened(connection),
    );
  }

  /** The models that workers which are online offer, by provider and name. */
  @Get('/v1/catalog/worker-models')
  async models(@Who() who: Identity): Promise<JsonObject> {
    const counts = new Map<string, { provider: string; model: string; worker_count: number }>();
    for (const { models } of await this.presence.online(who.orgId)) {
      for (const { provider, model } of new Map(
        (models ?? []).map((one) => [JSON.stringify([one.provider, one.model]), one]),
      ).values()) {
        const key = JSON.stringify([provider, model]);
        const item = counts.get(key) ?? { provider, model, worker_count: 0 };
        item.worker_count += 1;
        counts.set(key, item);
      }
    }
    const items = [...counts.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item);
    return {
      items: items.map((item) => ({ ...item, route: { mode: 'worker', provider: item.provider, model: item.model } })),
    };
  }
}
