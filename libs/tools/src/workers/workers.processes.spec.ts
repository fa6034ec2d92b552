import {
  MemoryBlobs,
  MemoryEventStore,
  MemoryLeases,
  MemoryLiveBus,
  MemoryReadStore,
  MemorySnapshots,
} from '@aos/adapters/memory';
import { StoreUnavailable, idPart, impliedPermissions, type Identity, type Json, type JsonObject } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import {
  Decisions,
  Metrics,
  Payloads,
  WriterProjections,
  type Settings,
  type SocketConnection,
  type SocketHandlers,
} from '@aos/platform';
import { previewTtlMs } from '@aos/sessions/published';
import { DurableWorkerJobs } from './durable-worker-jobs.js';
import { JobClaims } from './job-claims.js';
import { JobOffers } from './job-offers.js';
import { openJobsProjection } from './job/job.projection.js';
import { KeptProgress } from './kept-progress.js';
import { ModelRequests } from './model-requests.js';
import { WorkerHub } from './worker-hub.js';
import type { JobOutcome, WorkerJob } from './worker-jobs.js';
import { presenceKey, progressKey } from './channels.js';
import { WorkerPresence } from './worker-presence.js';

const who: Identity = {
  orgId: 'org_1',
  principalId: 'wrk_1',
  kind: 'worker',
  apiKeyId: 'cred_1',
  permissions: impliedPermissions(['svc.job.execute']),
  roles: [],
  cap: null,
  requestId: 'r',
  ip: null,
};
const endless = new AbortController().signal;

/** A live bus that can lose everything it is told. */
class LossyBus extends MemoryLiveBus {
  isDeaf = false;

  override publish(channel: string, message: Json): void {
    if (!this.isDeaf) super.publish(channel, message);
  }
}

/** Several processes over one store, on a clock of the test's. */
class Fleet {
  readonly clock = new ManualClock();
  readonly bus = new LossyBus({
    clock: this.clock,
    onTrouble: (error) => {
      throw error;
    },
  });
  private readonly ids = new CountingIds();
  private readonly store = new MemoryEventStore({ clock: this.clock, soleWriter: false });
  private readonly readStore = new MemoryReadStore();
  private readonly leases = new MemoryLeases(this.clock);

  process(): { jobs: DurableWorkerJobs; hub: WorkerHub; presence: WorkerPresence; claims: JobClaims } {
    const { clock, bus, ids } = this;
    const writers = new WriterProjections(this.readStore);
    writers.register(openJobsProjection);
    const decisions = new Decisions(
      this.store,
      new MemorySnapshots(),
      new Payloads(new MemoryBlobs()),
      bus,
      writers,
      clock,
      ids,
    );
    const [presence, requests] = [new WorkerPresence(bus, clock, ids), new ModelRequests(bus)];
    const progress = new KeptProgress(bus);
    const jobs = new DurableWorkerJobs(decisions, this.readStore, bus, clock, presence, requests, progress);
    const offers = new JobOffers(decisions, this.readStore, requests, jobs, clock);
    const claims = new JobClaims(decisions, offers, bus, progress, clock, ids, { workerLeaseSeconds: 60 } as Settings);
    return {
      jobs,
      presence,
      claims,
      hub: new WorkerHub(claims, presence, bus, clock, this.leases, ids, new Metrics({ processMetrics: false })),
    };
  }

  /** Lets time pass until it holds; gives how long that took, in milliseconds. */
  async until(what: string, holds: () => boolean, stepMs = 250): Promise<number> {
    const started = this.clock.monotonic();
    for (let step = 0; step < 1_000; step += 1) {
      for (let turn = 0; turn < 20 && !holds(); turn += 1)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      if (holds()) return this.clock.monotonic() - started;
      this.clock.advance(stepMs);
    }
    throw new Error(`in vain: ${what}`);
  }
}

/** A worker without a wire. */
class FakeWorker {
  readonly told: JsonObject[] = [];
  isOpen = true;
  private readonly handlers: SocketHandlers;

  constructor(
    hub: WorkerHub,
    private readonly answersKeepalive = true,
  ) {
    const connection = {
      identity: who,
      send: (frame: JsonObject) => this.hear(frame),
      close: () => {
        this.leave();
      },
      terminate: () => {
        this.leave();
      },
    };
    this.handlers = hub.opened(
      Object.defineProperty(connection, 'isOpen', { get: () => this.isOpen }) as unknown as SocketConnection,
    );
  }

  say(frame: JsonObject): Promise<void> {
    return this.handlers.message(JSON.stringify(frame));
  }

  async register(instance: string): Promise<this> {
    await this.say({ type: 'worker.register', worker_instance_id: instance });
    return this;
  }

  leave(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.handlers.closed();
  }

  get answers(): JsonObject[][] {
    return this.told.filter(({ type }) => type === 'jobs.claimed').map(({ jobs }) => jobs as JsonObject[]);
  }

  get job(): JsonObject {
    const [job] = this.answers.flat();
    if (!job) throw new Error('it has no job');
    return job;
  }

  private hear(frame: JsonObject): boolean {
    if (!this.isOpen) return false;
    this.told.push(frame);
    if (frame.type === 'keepalive' && this.answersKeepalive) void this.say({ type: 'keepalive' });
    return true;
  }
}

const job: WorkerJob = {
  orgId: 'org_1',
  deliveryId: 'dlv_0123456789abcdef0123456789abcdef',
  origin: 'direct_action_invoke',
  actor: { principalId: 'user_1', kind: 'human' },
  work: { kind: 'action_execution', actionName: 'pay', parameters: { sum: 1 } },
};
const leaseOf = (given: JsonObject): JsonObject => ({
  job_id: given.id ?? null,
  lease_token: given.lease_token ?? null,
});

let fleet: Fleet;
beforeEach(() => {
  fleet = new Fleet();
});

/** Begins a job; gives where its outcome will be. */
function begin(jobs: DurableWorkerJobs, deliveryId = job.deliveryId): { outcome: JobOutcome | null } {
  const held: { outcome: JobOutcome | null } = { outcome: null };
  jobs.run({ ...job, deliveryId }, endless).then(
    (outcome) => {
      held.outcome = outcome;
    },
    (error: unknown) => {
      throw error;
    },
  );
  return held;
}

describe('workers and jobs of several processes', () => {
  it.each([
    [false, 1_000],
    [true, 4_000],
  ])(
    'a job of one process reaches a worker at another, and its outcome comes back (word is lost: %s)',
    async (isDeaf, withinMs) => {
      const [one, other] = [fleet.process(), fleet.process()];
      const worker = await new FakeWorker(other.hub).register('i1');
      expect(worker.told).toMatchObject([
        { type: 'worker.registered', lease: { lease_duration_seconds: 60, heartbeat_cadence_seconds: 20 } },
      ]);
      fleet.bus.isDeaf = isDeaf;
      await worker.say({ type: 'jobs.claim', available_slots: 1 });
      const held = begin(one.jobs);
      expect(await fleet.until('the job', () => worker.answers.length > 0)).toBeLessThanOrEqual(withinMs);
      expect(worker.job).toMatchObject({
        action_name: 'pay',
        claim_attempt: 1,
        spec: { parameters: { sum: 1 }, delivery_id: job.deliveryId },
      });
      await worker.say({ type: 'job.report', ...leaseOf(worker.job), result: { paid: true } });
      expect(await fleet.until('the outcome', () => held.outcome !== null)).toBeLessThanOrEqual(withinMs);
      expect(held.outcome).toEqual({ status: 'completed', result: { paid: true } });
    },
  );

  it('X4: a claim is answered after 25 s when there is nothing to do', async () => {
    const worker = await new FakeWorker(fleet.process().hub).register('i1');
    await worker.say({ type: 'jobs.claim', message_id: 'c', available_slots: 1 });
    const took = await fleet.until('the answer', () => worker.answers.length > 0);
    expect(took).toBe(25_000);
    expect(worker.told.at(-1)).toMatchObject({ message_id: 'c', jobs: [] });
  });

  it('X4: a worker that is silent for 60 s loses its job to another, and one that is not does not', async () => {
    const [one, other] = [fleet.process(), fleet.process()];
    const first = await new FakeWorker(one.hub).register('i1');
    await first.say({ type: 'jobs.claim', available_slots: 1 });
    const held = begin(other.jobs);
    await fleet.until('the job', () => first.answers.length > 0);
    const leasedAt = fleet.clock.monotonic();
    await fleet.until('a while', () => fleet.clock.monotonic() - leasedAt >= 40_000);
    await first.say({ type: 'job.heartbeat', ...leaseOf(first.job) });
    const second = await new FakeWorker(other.hub).register('i2');
    const claimAgain = async () => {
      await second.say({ type: 'jobs.claim', available_slots: 1 });
    };
    for (let claims = 0; claims < 4 && second.answers.flat().length === 0; claims += 1) {
      await claimAgain();
      const before = second.answers.length;
      await fleet.until('an answer', () => second.answers.length > before);
    }
    const lostAfter = fleet.clock.monotonic() - leasedAt;
    expect(lostAfter).toBeGreaterThanOrEqual(100_000);
    expect(lostAfter).toBeLessThanOrEqual(103_000);
    expect(second.job).toMatchObject({ id: first.job.id, claim_attempt: 2, spec: first.job.spec });
    await first.say({ type: 'job.report', ...leaseOf(first.job), result: { by: 'first' } });
    expect(first.told.at(-1)).toMatchObject({ type: 'job.report.ack', duplicate: true });
    await second.say({ type: 'job.report', ...leaseOf(second.job), result: { by: 'second' } });
    await fleet.until('the outcome', () => held.outcome !== null);
    expect(held.outcome).toEqual({ status: 'completed', result: { by: 'second' } });
  });

  it('a job is met again by its delivery id, in whichever process, also when it is over', async () => {
    const [one, other] = [fleet.process(), fleet.process()];
    const worker = await new FakeWorker(one.hub).register('i1');
    await worker.say({ type: 'jobs.claim', available_slots: 5 });
    const [held, again] = [begin(one.jobs), begin(other.jobs)];
    await fleet.until('the job', () => worker.answers.length > 0);
    await worker.say({ type: 'job.report', ...leaseOf(worker.job), result: { once: true } });
    await fleet.until('both', () => held.outcome !== null && again.outcome !== null);
    expect([held.outcome, again.outcome, await other.jobs.run(job, endless)]).toEqual(
      Array(3).fill({ status: 'completed', result: { once: true } }),
    );
    expect(worker.answers.flat()).toHaveLength(1);
  });

  it('an action is taken while a worker that names it, or names nothing, is online in any process', async () => {
    const [asked, other] = [fleet.process(), fleet.process()];
    const answered = async (action: string) => {
      let taken: boolean | null = null;
      void asked.jobs.takesAction('org_1', action).then((answer) => {
        taken = answer;
      });
      const waitedMs = await fleet.until('the answer', () => taken !== null);
      return [taken, waitedMs];
    };
    expect(await answered('pay')).toEqual([false, 1_000]);
    const picky = new FakeWorker(other.hub);
    await picky.say({ type: 'worker.register', worker_instance_id: 'i1', action_names: ['bill'] });
    expect([await answered('bill'), await answered('pay')]).toEqual([
      [true, 0],
      [false, 1_000],
    ]);
    let taken: boolean | null = null;
    void asked.jobs.takesAction('org_1', 'pay').then((answer) => {
      taken = answer;
    });
    const late = await new FakeWorker(other.hub).register('i2');
    await fleet.until('the late worker being seen', () => taken !== null);
    expect([taken, await asked.jobs.takesAction('org_1', 'pay')]).toEqual([true, true]);
    picky.leave();
    late.leave();
    expect(await answered('bill')).toEqual([false, 1_000]);
    await Promise.all([asked.hub.onModuleDestroy(), other.hub.onModuleDestroy()]);
  });

  it('CO1: every process lists the workers of all, with their jobs, and those that drain', async () => {
    const [asked, other] = [fleet.process(), fleet.process()];
    const first = new FakeWorker(other.hub);
    const can = { action_names: ['pay'], models: [{ provider: 'p', model: 'm' }], concurrency_limit: 2 };
    await first.say({ type: 'worker.register', worker_instance_id: 'i1', name: 'payer', version: '1.2', ...can });
    fleet.clock.advance(1_000);
    await new FakeWorker(asked.hub).register('i2');
    const facts = { name: 'payer', version: '1.2', principalId: 'wrk_1', concurrencyLimit: 2, jobs: 0 };
    const [shown, second] = await asked.presence.connected('org_1');
    expect(shown).toMatchObject({
      instanceId: 'i1',
      actionNames: ['pay'],
      models: can.models,
      isDraining: false,
      facts,
    });
    expect(second).toMatchObject({ instanceId: 'i2', actionNames: null, models: null, facts: { name: null } });
    await first.say({ type: 'jobs.claim', available_slots: 1 });
    begin(asked.jobs);
    await fleet.until('the job', () => first.answers.flat().length > 0);
    const jobs = async () => (await asked.presence.connected('org_1')).map((one) => one.facts.jobs);
    fleet.clock.advance(500);
    expect(await jobs()).toEqual([1, 0]);
    await first.say({ type: 'worker.draining' });
    expect((await asked.presence.connected('org_1'))[0]).toMatchObject({ instanceId: 'i1', isDraining: true });
    expect((await asked.presence.online('org_1')).map(({ instanceId }) => instanceId)).toEqual(['i2']);
    await first.say({ type: 'job.report', ...leaseOf(first.job), result: {} });
    fleet.clock.advance(500);
    expect(await jobs()).toEqual([0, 0]);
    first.leave();
    expect((await asked.presence.connected('org_1')).map(({ instanceId }) => instanceId)).toEqual(['i2']);
    expect(await asked.presence.connected('org_2')).toEqual([]);
    await Promise.all([asked.hub.onModuleDestroy(), other.hub.onModuleDestroy()]);
  });

  it("X4: a job whose lease ran out is no longer its worker's: it is not listed, and its room is free", async () => {
    const { hub, jobs, presence } = fleet.process();
    const [worker, other] = [new FakeWorker(hub), await new FakeWorker(hub).register('i2')];
    await worker.say({ type: 'worker.register', worker_instance_id: 'i1', concurrency_limit: 1 });
    await worker.say({ type: 'jobs.claim', available_slots: 1 });
    begin(jobs);
    await fleet.until('the job', () => worker.answers.flat().length > 0);
    const counts = async () => (await presence.connected('org_1')).map(({ facts }) => facts.jobs);
    const givenAt = fleet.clock.monotonic();
    await fleet.until('half a lease', () => fleet.clock.monotonic() - givenAt >= 30_000);
    await worker.say({ type: 'job.heartbeat', ...leaseOf(worker.job) });
    await fleet.until('most of another one', () => fleet.clock.monotonic() - givenAt >= 85_000);
    expect(await counts()).toEqual([1, 0]);
    await fleet.until('the end of the lease', () => fleet.clock.monotonic() - givenAt >= 91_000);
    await other.say({ type: 'jobs.claim', available_slots: 1 });
    await fleet.until('the job at another worker', () => other.answers.flat().length > 0);
    fleet.clock.advance(2_000);
    expect(await counts()).toEqual([0, 1]);
    await worker.say({ type: 'jobs.claim', available_slots: 1 });
    begin(jobs, 'dlv_fedcba9876543210fedcba9876543210');
    await fleet.until('another job', () => worker.answers.flat().length > 1);
    await hub.onModuleDestroy();
  });

  it('CO1: what a process of an older release says counts for jobs, and lists nothing', async () => {
    const { presence } = fleet.process();
    const word = { until: fleet.clock.now() + 1_000, workers: [{ instanceId: 'i0', actionNames: null, models: null }] };
    await fleet.bus.setPreview(presenceKey('org_1'), 'older', JSON.stringify(word), 1_000);
    expect(await presence.offers('org_1', { kind: 'action_execution', actionName: 'pay' })).toBe(true);
    expect(await presence.connected('org_1')).toEqual([]);
  });

  it('a job that nobody takes fails after 20 s; while a worker that is online would take it, it waits', async () => {
    const { jobs, hub } = fleet.process();
    const lonely = begin(jobs);
    expect(await fleet.until('the end', () => lonely.outcome !== null)).toBeLessThanOrEqual(22_500);
    expect(lonely.outcome).toMatchObject({ status: 'failed', errorType: 'worker_unavailable' });
    const second = new Fleet();
    const process = second.process();
    const busy = await new FakeWorker(process.hub).register('i1');
    const held = begin(process.jobs);
    const started = second.clock.monotonic();
    await second.until('a while', () => second.clock.monotonic() - started > 50_000);
    expect(held.outcome).toBeNull();
    await process.jobs.cancel('org_other', job.deliveryId, 'no');
    await process.jobs.cancel('org_1', job.deliveryId, 'enough');
    await second.until('the end', () => held.outcome !== null);
    expect(held.outcome).toEqual({ status: 'cancelled', reason: 'enough' });
    busy.leave();
    await hub.onModuleDestroy();
  });

  it('a connection on which nobody answers ends after a minute', async () => {
    const { hub } = fleet.process();
    const [alive, dead] = [await new FakeWorker(hub).register('i1'), await new FakeWorker(hub, false).register('i2')];
    expect(await fleet.until('the end', () => !dead.isOpen)).toBeLessThanOrEqual(80_000);
    expect(alive.isOpen).toBe(true);
  });
});

describe('TE80: progress that a worker says once', () => {
  const part = idPart(job.deliveryId);
  const jobId = `job_${part}`;
  const said = (text: string, attempt = 1) => ({ attempt, progress: { text } });
  const kept = async () => (await fleet.bus.preview(progressKey(part))).get('said') ?? null;

  /** A process that waits for the job until it dies; gives what it heard, in order. */
  function wait({ jobs }: Pick<ReturnType<Fleet['process']>, 'jobs'>) {
    const [heard, death]: [unknown[], AbortController] = [[], new AbortController()];
    const over = jobs
      .run(job, death.signal, { progress: ({ text }) => void heard.push(text) })
      .then(() => true)
      .catch((error: unknown) => {
        if (!death.signal.aborted) throw error;
        return false;
      });
    return { heard, over, die: () => death.abort(new Error('it died')) };
  }

  /** A worker holds the job, which one process waited for that is dead. */
  async function held() {
    const [dead, other, next] = [fleet.process(), fleet.process(), fleet.process()];
    const worker = await new FakeWorker(other.hub).register('i1');
    await worker.say({ type: 'jobs.claim', available_slots: 1 });
    const first = wait(dead);
    await fleet.until('the job', () => worker.answers.flat().length > 0);
    const end = async () => {
      await worker.say({ type: 'job.report', ...leaseOf(worker.job), result: {} });
    };
    const ends = async ({ over }: ReturnType<typeof wait>) => {
      let isOver = false;
      void over.then(() => (isOver = true));
      await fleet.until('the end', () => isOver);
    };
    return { worker, claims: other.claims, first, next, end, ends };
  }

  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  };

  it('while no process waits is shown by the next one: the newest, once', async () => {
    const { claims, first, next, end, ends } = await held();
    first.die();
    await ends(first);
    claims.passProgress(jobId, said('one'));
    claims.passProgress(jobId, said('two'));
    const second = wait(next);
    await settle();
    expect([first.heard, second.heard]).toEqual([[], ['two']]);
    claims.passProgress(jobId, said('three'));
    await settle();
    expect(second.heard).toEqual(['two', 'three']);
    await end();
    await ends(second);
    expect(await kept()).toBeNull();
  });

  it('to a process that dies much later is shown by the next one', async () => {
    const { claims, first, next, ends, worker } = await held();
    claims.passProgress(jobId, said('one'));
    await settle();
    expect(first.heard).toEqual(['one']);
    const diesAt = fleet.clock.monotonic() + 3 * previewTtlMs;
    await fleet.until(
      'three times as long as a preview lives',
      () => {
        void worker.say({ type: 'job.heartbeat', ...leaseOf(worker.job) });
        return fleet.clock.monotonic() >= diesAt;
      },
      10_000,
    );
    first.die();
    await ends(first);
    const second = wait(next);
    await settle();
    expect(second.heard).toEqual(['one']);
    second.die();
    await ends(second);
  });

  it('just as the next process looks for it is not shown behind what is newer', async () => {
    const { claims, first, next, end, ends } = await held();
    first.die();
    await ends(first);
    claims.passProgress(jobId, said('one'));
    const look = fleet.bus.preview.bind(fleet.bus);
    jest.spyOn(fleet.bus, 'preview').mockImplementation(async (key) => {
      const found = await look(key);
      if (key !== progressKey(part)) return found;
      claims.passProgress(jobId, said('two'));
      await settle(); // it arrives before what is kept
      return found;
    });
    const second = wait(next);
    await settle();
    expect(second.heard).toEqual(['two']);
    await end();
    await ends(second);
  });

  it('by a worker that lost the job is not shown after that of the next one', async () => {
    const { claims, first, next, end, ends } = await held();
    first.die();
    await ends(first);
    claims.passProgress(jobId, said('of the second', 2));
    const second = wait(next);
    await settle();
    claims.passProgress(jobId, said('of the first', 1));
    await settle();
    expect(second.heard).toEqual(['of the second']);
    await end();
    await ends(second);
  });

  it('reaches a process that waits while the bus keeps nothing, and of a new job nothing is looked for', async () => {
    const look = jest.spyOn(fleet.bus, 'preview');
    jest.spyOn(fleet.bus, 'setPreview').mockRejectedValue(new StoreUnavailable('gone for now'));
    const { claims, first, end, ends } = await held();
    expect(look.mock.calls.filter(([key]) => key === progressKey(part))).toEqual([]);
    claims.passProgress(jobId, said('one'));
    await settle();
    expect(first.heard).toEqual(['one']);
    await end();
    await ends(first);
  });
});
