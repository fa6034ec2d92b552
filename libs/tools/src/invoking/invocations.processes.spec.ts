import { Logger } from '@nestjs/common';
import type { EventStore, Identity, JsonObject } from '@aos/kernel';
import { CountingIds, ManualClock, eventually } from '@aos/kernel/testing';
import {
  MemoryBlobs,
  MemoryEventStore,
  MemoryLeases,
  MemoryLiveBus,
  MemoryReadStore,
  MemorySnapshots,
} from '@aos/adapters/memory';
import {
  Decisions,
  OwnProjections,
  OwnStreams,
  Payloads,
  Projectors,
  Recoveries,
  WorkLeases,
  WriterProjections,
} from '@aos/platform';
import { noFacts, type Carried } from '../deliveries/carried.js';
import type { InvocationOpening } from '../invocation/invocation.events.js';
import { runningPerOrganizationMax, runsMax } from '../invocation/invocation.limits.js';
import { invocationKind } from '../invocation/invocation.state.js';
import { invocationsProjection, openInvocationsProjection } from '../invocation/invocation.projection.js';
import type { ActionCarrier, DirectInvocation } from './action-carrier.js';
import { InvocationRecovery } from './invocation-recovery.js';
import { InvocationRuns } from './invocation-runs.js';
import { startInvocation } from './invoking.decide.js';

Logger.overrideLogger(false);

const leaseMs = 15_000;
const caller = { api_key_id: null, permissions: [], roles: [], cap: null, ip: null };

/** What several processes have in common. */
function world() {
  const clock = new ManualClock();
  return {
    clock,
    ids: new CountingIds(),
    store: new MemoryEventStore({ clock, soleWriter: false }) as EventStore,
    readStore: new MemoryReadStore(),
    leases: new MemoryLeases(clock),
    sent: [] as string[],
  };
}

type World = ReturnType<typeof world>;

/** A process that carries actions out as told; `dead`: it never gets a result, as one that was killed. */
async function process(
  { clock, ids, store, readStore, leases, sent }: World,
  carry: (invocation: DirectInvocation, signal: AbortSignal) => Promise<Carried>,
) {
  const writers = new WriterProjections(readStore);
  writers.register(invocationsProjection);
  writers.register(openInvocationsProjection);
  const decisions = new Decisions(
    store,
    new MemorySnapshots(),
    new Payloads(new MemoryBlobs()),
    new MemoryLiveBus({
      clock,
      onTrouble: (error) => {
        throw error;
      },
    }),
    writers,
    clock,
    ids,
  );
  const carrier = {
    carryOut: (invocation: DirectInvocation, signal: AbortSignal) => {
      sent.push(invocation.deliveryId);
      return carry(invocation, signal);
    },
  } as unknown as ActionCarrier;
  const settings = { leaseSeconds: leaseMs / 1000 };
  const runs = new InvocationRuns(decisions, carrier, new WorkLeases(leases, clock, ids, settings), clock);
  const projectors = new Projectors(
    new OwnProjections(writers, decisions, new OwnStreams()),
    store,
    readStore,
    leases,
    clock,
    ids,
    settings,
  );
  projectors.onApplicationBootstrap();
  await eventually('the projections', async () => projectors.caughtUp);
  const recoveries = new Recoveries(store, readStore, projectors, leases, clock, settings);
  const recovery = new InvocationRecovery(recoveries, decisions, runs, clock);
  const start = (part: string, orgId = 'org_a', input: JsonObject = {}) =>
    runs.begin(orgId, `inv_${part}`, async () => {
      const opening: InvocationOpening = {
        id: `inv_${part}`,
        org_id: orgId,
        job_id: `job_${part}`,
        delivery_id: `dlv_${part}`,
        source: 'direct_action_invoke',
        call: null,
        correlation_id: 'req',
        parameters: input,
        started_at: '2026-01-01T00:00:00.000Z',
        action: {
          id: 'act_a',
          name: 'pay',
          definition_scope: 'custom',
          endpoint_kind: 'http',
          invocation_format: 'legacy',
        },
        actor: { principal_id: 'svc_a', kind: 'service' },
      };
      const act = {
        orgId,
        principalId: 'svc_a',
        principalKind: 'service' as Identity['kind'],
        apiKeyId: null,
        ip: null,
        requestId: 'req',
      };
      const { events } = await decisions.run(invocationKind, part, act, (past) =>
        startInvocation({ opening, caller, input, digest: 'd' }, past),
      );
      return events.length > 0 ? { opening, caller, input } : null;
    });
  const end = async (part: string) => (await decisions.load(invocationKind, part)).state.end;
  const close = async () => {
    await projectors.onApplicationShutdown();
    await runs.onApplicationShutdown();
  };
  return { runs, recovery, start, end, close };
}

const done: Carried = { answer: { output: { paid: true }, context: [] }, facts: noFacts };
const untilStopped = (_invocation: DirectInvocation, signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => {
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });

describe('direct invocations over several processes', () => {
  it('R24: are left to a holder that is alive, and taken over a lease time after it fell', async () => {
    const shared = world();
    const first = await process(shared, untilStopped);
    const second = await process(shared, async () => done);
    await first.start('a1');
    await eventually('the lease', async () => (await shared.leases.holders(['invocation:inv_a1']))[0] !== null);
    const read = jest.spyOn(shared.store, 'read');
    await second.recovery.poll();
    await second.recovery.poll();
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    expect(shared.sent).toEqual(['dlv_a1']);
    await first.close(); // gives its lease up, and leaves the invocation as it is
    expect(await second.end('a1')).toBeNull();
    await second.recovery.poll();
    expect(shared.sent).toEqual(['dlv_a1']);
    shared.clock.advance(leaseMs / 3);
    await second.recovery.poll();
    expect(shared.sent).toEqual(['dlv_a1']);
    shared.clock.advance(leaseMs);
    await second.recovery.poll();
    await second.runs.idle();
    expect(shared.sent).toEqual(['dlv_a1', 'dlv_a1']);
    expect(await second.end('a1')).toMatchObject({ status: 'success' });
    await second.recovery.poll();
    expect(shared.sent).toHaveLength(2);
    await second.close();
  });

  it('invariant 26: two that take one over at once send it once, and the first result stands', async () => {
    const shared = world();
    const first = await process(shared, untilStopped);
    const others = [await process(shared, async () => done), await process(shared, async () => done)];
    await first.start('a1');
    await first.close();
    await Promise.all(others.map(({ recovery }) => recovery.poll()));
    shared.clock.advance(2 * leaseMs);
    await Promise.all(others.map(({ recovery }) => recovery.poll()));
    await Promise.all(others.map(({ runs }) => runs.idle()));
    expect(shared.sent).toEqual(['dlv_a1', 'dlv_a1']);
    const events = await shared.store.read('invocation-a1', { limit: 10 });
    expect(events.map(({ type }) => type)).toEqual(['InvocationStarted', 'InvocationTakenOver', 'InvocationFinished']);
    for (const { close } of others) await close();
  });

  it('R24: one that takes its processes along ends as interrupted', async () => {
    const shared = world();
    const first = await process(shared, untilStopped);
    await first.start('a1');
    await first.close();
    for (let run = 1; run <= runsMax; run += 1) {
      const next = await process(shared, untilStopped);
      await next.recovery.poll();
      shared.clock.advance(2 * leaseMs);
      await next.recovery.poll();
      if (run === runsMax)
        expect(await next.end('a1')).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
      await next.close();
    }
    expect(shared.sent).toHaveLength(runsMax);
  });

  it('invariant 28: an organization has a bounded number under way, and others have room', async () => {
    const shared = world();
    const { start, runs, close } = await process(shared, untilStopped);
    for (let n = 0; n < runningPerOrganizationMax; n += 1) await start(`a${n}`);
    await expect(start('more')).rejects.toMatchObject({ code: 'rate_limit_exceeded', headers: { 'retry-after': '1' } });
    expect(await shared.store.read('invocation-more', { limit: 1 })).toEqual([]);
    await start('b1', 'org_b');
    expect([runs.holds('inv_more'), runs.holds('inv_b1'), runs.hasRoom('org_a'), runs.hasRoom('org_b')]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    await close();
  });

  it('an unforeseen fault ends it as failed, and says nothing of the fault', async () => {
    const { start, runs, end, close } = await process(world(), async () => {
      throw new Error('secret');
    });
    await start('a1');
    await runs.idle();
    expect(await end('a1')).toMatchObject({
      status: 'failed',
      error: { code: 'internal_error', message: expect.not.stringContaining('secret') as string },
    });
    await close();
  });
});
