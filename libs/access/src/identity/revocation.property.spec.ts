import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import type { INestApplicationContext } from '@nestjs/common';
import { Refusal, StoreUnavailable, type Identity } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { AccessModule } from '../access.module.js';
import { Organizations } from '../bootstrap/organizations.js';
import { CreateKey, RevokeKey } from '../keys/keys.handlers.js';
import { CreatePrincipal, UpdatePrincipal } from '../principals/principals.handlers.js';
import { GatedEventStore, numbersFrom } from '../testing/gated-store.js';
import { MemoryWorld } from '../testing/memory-world.js';
import { ApiKeyIdentitySource } from './api-key-identity-source.js';

const interleavings = Number(process.env['INTERLEAVINGS'] ?? 300);
const firstSeed = Number(process.env['FIRST_SEED'] ?? 1);
const stepsMax = 5_000;
const requestsAtOnceMax = 6;

class Root {}

class Service {
  private constructor(
    readonly nest: INestApplicationContext,
    readonly store: GatedEventStore,
    readonly clock: ManualClock,
    readonly owner: Identity,
  ) {}

  /** What embedded is to its requests: one process, the sole writer of its log. */
  static async start(): Promise<Service> {
    const clock = new ManualClock();
    const store = new GatedEventStore({ clock, soleWriter: true });
    const world = new MemoryWorld(clock, { store });
    const nest = await NestFactory.createApplicationContext(
      { module: Root, imports: [world.module({ withClock: true }), AccessModule] },
      { logger: false, abortOnError: false },
    );
    await nest.init();
    const { ownerKey } = await nest.get(Organizations).create('o');
    const owner = await nest
      .get(ApiKeyIdentitySource)
      .identify({ authorization: `Bearer ${ownerKey}`, ip: '10.0.0.1', requestId: 'r' });
    if (!owner) throw new Error('the first key does not open');
    return new Service(nest, store, clock, owner);
  }

  run<Result>(command: CreateKey | RevokeKey | CreatePrincipal | UpdatePrincipal): Promise<Result> {
    return this.nest.get(CommandBus).execute<never, Result>(command as never);
  }

  async opens(key: string): Promise<boolean> {
    return (
      (await this.nest
        .get(ApiKeyIdentitySource)
        .identify({ authorization: `Bearer ${key}`, ip: '10.0.0.1', requestId: 'r' })) !== null
    );
  }
}

/** As a client does that got no answer: again, until it is told that the thing is done, or was done before. */
async function untilDone(act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await act();
      return;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'not_found') return;
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}

/**
 * One schedule: requests with the key come all the time, it is taken away in one of two ways somewhere among them,
 * other things of the organization change meanwhile, and every answer of the log comes when chance lets it.
 *
 * Gives how many requests were begun after the change was acknowledged and opened all the same.
 */
async function interleaving(
  service: Service,
  seed: number,
): Promise<{ late: number; opened: number; refused: number }> {
  const { store, clock, owner } = service;
  const below = numbersFrom(seed);
  store.below = below;
  const principal = await service.run<{ id: string }>(
    new CreatePrincipal(owner, { name: `p${seed}`, kind: 'service', role_ids: [] }),
  );
  const issued = await service.run<{ id: string; key: string }>(
    new CreateKey(owner, { name: `k${seed}`, principal_id: principal.id, allow_unassigned_principal: true }),
  );
  const isByPrincipal = below(3) === 0;
  store.isGated = true;
  store.answersLostOf = below(2) === 0 ? 0 : 6;
  const counted = { late: 0, opened: 0, refused: 0 };
  let isAcknowledged = false;
  let running = 0;
  let afterwards = 0;
  const request = (): void => {
    running += 1;
    const beganLate = isAcknowledged;
    service
      .opens(issued.key)
      .then(
        (opened) => {
          counted[opened ? 'opened' : 'refused'] += 1;
          if (opened && beganLate) counted.late += 1;
        },
        (error: unknown) => {
          if (!(error instanceof StoreUnavailable)) throw error;
        },
      )
      .finally(() => {
        running -= 1;
      });
    if (beganLate) afterwards += 1;
  };
  const change = (): Promise<unknown> =>
    isByPrincipal
      ? service.run(new UpdatePrincipal(owner, { principal_id: principal.id, body: { state: 'disabled' } }))
      : service.run(new RevokeKey(owner, { api_key_id: issued.id }));
  const changeAt = below(25);
  let changing: Promise<void> | null = null;
  const others: Promise<unknown>[] = [];
  for (let step = 0; step < stepsMax && (afterwards < 8 || running > 0 || store.held > 0); step += 1) {
    if (step === changeAt)
      changing = untilDone(change).then(() => {
        isAcknowledged = true;
      });
    if (running < requestsAtOnceMax && afterwards < 8 && below(2) === 0) request();
    if (step < 60 && below(20) === 0)
      others.push(
        untilDone(() =>
          service.run(new UpdatePrincipal(owner, { principal_id: principal.id, body: { description: `d${step}` } })),
        ),
      );
    if (below(40) === 0) clock.advance(below(6_000));
    await store.step();
  }
  store.isGated = false;
  while (store.held > 0) await store.step();
  await changing;
  await Promise.all(others);
  if (afterwards < 8) throw new Error(`seed ${seed} did not come to its end`);
  return counted;
}

describe('a key that is taken away (control S1; invariant 64)', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.nest.close());

  it(
    `opens nothing from the acknowledgement on, in ${interleavings} interleavings`,
    async () => {
      const sum = { late: 0, opened: 0, refused: 0 };
      for (let seed = firstSeed; seed < firstSeed + interleavings; seed += 1) {
        const { late, opened, refused } = await interleaving(service, seed);
        if (late > 0)
          throw new Error(`seed ${seed}: ${late} requests that began after the acknowledgement were let in`);
        sum.opened += opened;
        sum.refused += refused;
      }
      process.stderr.write(
        `said: ${interleavings} interleavings from seed ${firstSeed}: ${sum.opened} requests were let in before, ${sum.refused} refused\n`,
      );
      expect(sum.opened).toBeGreaterThan(interleavings);
      expect(sum.refused).toBeGreaterThan(interleavings);
    },
    60_000 + interleavings * 100,
  );
});
