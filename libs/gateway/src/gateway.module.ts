import { Inject, Injectable, type DynamicModule, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { AccessChanges, AccessReadersModule, FirstOrganization } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import type { Ids } from '@aos/kernel';
import { IdentitySource, RateLimiter, SettingsRefused, onceThere, type Core } from '@aos/platform';
import { SharedRateLimiter, type SharedBuckets } from './limits/shared-rate-limiter.js';
import { SharedStreamSlots, type SharedMembers } from './limits/shared-stream-slots.js';
import { GatewayProxy } from './proxy/gateway-proxy.js';
import { serviceNames } from './routing/services.js';
import { Upstreams } from './routing/upstreams.js';
import { OpenStreams } from './proxy/open-streams.js';

const coreToken = Symbol('core of the gateway');

/**
 * Starts the gateway: adds the routes before it listens, rotates the streams that go through it when it is told to
 * stop, ends what is left when it closes.
 */
@Injectable()
class GatewayServer implements OnModuleInit, OnModuleDestroy {
  private readonly upstreams: Upstreams;
  private readonly openStreams: OpenStreams;
  private readonly stopListening: () => void;

  constructor(
    @Inject(coreToken) private readonly core: Core,
    private readonly slots: SharedStreamSlots,
    private readonly http: HttpAdapterHost,
    identities: IdentitySource,
    private readonly changes: AccessChanges,
    private readonly first: FirstOrganization,
  ) {
    const { settings, clock, log, metrics } = core;
    this.upstreams = new Upstreams(settings.gatewayUpstreams, clock, {
      heartbeatSeconds: settings.streamHeartbeatSeconds,
    });
    const openStreams = new OpenStreams(identities, clock, log);
    this.openStreams = openStreams;
    this.stopListening = changes.onChange(() => {
      openStreams.recheck();
    });
    core.readiness.onStop(() => {
      openStreams.rotate();
    });
    core.readiness.register(
      onceThere('first_organization', async () => ((await this.first.isUsable()) ? null : 'not made yet')),
    );
    metrics.observedGauge('gateway_streams_open', 'Event streams that go through this door.', () => openStreams.count);
  }

  onModuleInit(): void {
    new GatewayProxy(
      this.core,
      this.upstreams,
      this.openStreams,
      (orgId) => {
        this.changes.heard(orgId);
      },
      this.slots,
    ).register(this.http.httpAdapter.getInstance<FastifyInstance>());
  }

  async onModuleDestroy(): Promise<void> {
    this.stopListening();
    await this.openStreams.close();
    this.slots.close();
    await this.upstreams.close();
  }
}

/**
 * The public gateway of the fleet.
 *
 * Takes    the app's core, and what all gateways share: buckets of requests, and who holds a stream open.
 * Refuses  `SVC_GATEWAY_UPSTREAMS` that lacks a service.
 */
export function gatewayModule(
  core: Core,
  { buckets, streams, ids }: { buckets: SharedBuckets; streams: SharedMembers; ids: Ids },
): DynamicModule {
  const missing = serviceNames.filter((name) => core.settings.gatewayUpstreams[name] === undefined);
  if (missing.length > 0) throw new SettingsRefused([`SVC_GATEWAY_UPSTREAMS lacks ${missing.join(', ')}`]);
  const {
    rateLimitKeyRpm: keyPerMinute,
    rateLimitOrgRpm: orgPerMinute,
    streamsPerKey: perKey,
    streamsPerOrg: perOrg,
  } = core.settings;
  return {
    module: GatewayModule,
    imports: [AccessReadersModule, DefinitionsReadingModule],
    providers: [
      { provide: coreToken, useValue: core },
      { provide: RateLimiter, useValue: new SharedRateLimiter(buckets, { keyPerMinute, orgPerMinute }, core.clock) },
      {
        provide: SharedStreamSlots,
        useValue: new SharedStreamSlots(
          streams,
          core.slots,
          { perKey, perOrg },
          { clock: core.clock, log: core.log, ids },
        ),
      },
      GatewayServer,
    ],
  };
}

class GatewayModule {}
