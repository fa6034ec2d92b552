import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply, Schema } from '@aos/contract';
import type { Identity, JsonObject } from '@aos/kernel';
import { Sockets, Who } from '@aos/platform';
import { frameBytesMax } from './job/job.limits.js';
import { WorkerHub } from './worker-hub.js';
import { WorkerPresence, type ConnectedWorker } from './worker-presence.js';
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

  /** Workers with an open connection, to any replica. */
  @Get('/v1/workers')
  async list(@Who() who: Identity): Promise<Reply<'listWorkers'>> {
    return { items: (await this.presence.connected(who.orgId)).map(workerWire) };
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

function workerWire({ instanceId, actionNames, models, facts, isDraining }: ConnectedWorker): Schema<'Worker'> {
  return {
    worker_instance_id: instanceId,
    name: facts.name,
    version: facts.version,
    principal_id: facts.principalId,
    action_names: actionNames && [...actionNames],
    models: (models ?? []).map(({ provider, model }) => ({ provider, model })),
    concurrency_limit: facts.concurrencyLimit,
    jobs: facts.jobs,
    draining: isDraining,
    connected_at: facts.connectedAt,
  };
}
