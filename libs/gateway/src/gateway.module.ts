import { Inject, Injectable, type DynamicModule, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { AccessChanges, AccessReadersModule, FirstOrganization, OrganizationSalts } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import type { Ids } from '@aos/kernel';
import {
  IdentitySource,
  RateLimiter,
  SettingsRefused,
  onceThere,
  sessionOwners,
  type Core,
  type Owners,
} from '@aos/platform';
import { SharedRateLimiter, type SharedBuckets } from './limits/shared-rate-limiter.js';
import { SharedStreamSlots, type SharedMembers } from './limits/shared-stream-slots.js';
import { GatewayProxy } from './proxy/gateway-proxy.js';
import { Destinations } from './routing/destinations.js';
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
  private readonly openStreams: OpenStreams;
  private readonly stopListening: () => void;

  constructor(
    @Inject(coreToken) private readonly core: Core,
    private readonly slots: SharedStreamSlots,
    private readonly http: HttpAdapterHost,
    identities: IdentitySource,
    private readonly changes: AccessChanges,
    private readonly upstreams: Upstreams,
    private readonly destinations: Destinations,
  ) {
    const { clock, log, metrics } = core;
    const openStreams = new OpenStreams(identities, clock, log);
    this.openStreams = openStreams;
    this.stopListening = changes.onChange(() => {
      openStreams.recheck();
    });
    core.readiness.onStop(() => {
      openStreams.rotate();
    });
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
      this.destinations,
    ).register(this.http.httpAdapter.getInstance<FastifyInstance>());
  }

  async onModuleDestroy(): Promise<void> {
    this.stopListening();
    await this.openStreams.close();
    this.slots.close();
    await this.upstreams.close();
  }
}

/** Lets requests in once there is an organization that they could be of. */
@Injectable()
class FirstOrganizationCheck {
  constructor(@Inject(coreToken) { readiness }: Core, first: FirstOrganization) {
    readiness.register(onceThere('first_organization', async () => ((await first.isUsable()) ? null : 'not made yet')));
  }
}

/** Replicas of the services; of session-service the owners that are known. */
function upstreamsOf({ settings, clock }: Core, owners: Pick<Owners, 'map'> | null): Upstreams {
  return new Upstreams(settings.gatewayUpstreams, clock, {
    heartbeatSeconds: settings.streamHeartbeatSeconds,
    owners: { of: (service) => (service === sessionOwners ? (owners?.map ?? null) : null) },
  });
}

/**
 * The public gateway of the fleet.
 *
 * Takes    the app's core, what all gateways share (buckets of requests, and who holds a stream open), and who owns
 *          which sessions, where that is known.
 * Refuses  `SVC_GATEWAY_UPSTREAMS` that lacks a service.
 */
export function gatewayModule(
  core: Core,
  {
    buckets,
    streams,
    ids,
    owners = null,
  }: { buckets: SharedBuckets; streams: SharedMembers; ids: Ids; owners?: Pick<Owners, 'map'> | null },
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
      { provide: Upstreams, useValue: upstreamsOf(core, owners) },
      {
        provide: Destinations,
        useFactory: (salts: OrganizationSalts) =>
          new Destinations(salts, (reason) => {
            core.log.debug('no destination', { reason });
          }),
        inject: [OrganizationSalts],
      },
      FirstOrganizationCheck,
      GatewayServer,
    ],
  };
}

class GatewayModule {}
