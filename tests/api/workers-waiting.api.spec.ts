import { Client, allRows, invoke, said, settled, unique } from '../harness/index.js';
import { calling, delta, forAction, results, routed, workerAction } from '../harness/worker-actions.js';
import { TestWorker, endWorkers } from '../harness/worker.js';

const api = Client.owner();
afterAll(endWorkers);

/** These tests take as long as a lease or a claim: they wait at the same time, which jest does within one block. */
describe('workers and time', () => {
  it.concurrent('X4: claims are answered within 25 s, also when there is nothing to do', async () => {
    const worker = await TestWorker.register(api, { action_names: [unique('nothing')] });
    const started = performance.now();
    expect(await worker.ask({ type: 'jobs.claim', available_slots: 1 })).toMatchObject({
      type: 'jobs.claimed',
      jobs: [],
    });
    expect(performance.now() - started).toBeLessThan(27_000);
  });

  it.concurrent(
    'jobs stay with a worker that comes back under its token, and with one that gives signs of life',
    async () => {
      const made = await workerAction();
      const instance = unique('i');
      const worker = (await TestWorker.connect(api)) as TestWorker;
      const { worker_session_token: token } = await worker.ask(
        { type: 'worker.register', worker_instance_id: instance, ...forAction(made) },
        'worker.registered',
      );
      const ack = await calling(made);
      const job = await worker.claim();
      worker.kill();
      const back = (await TestWorker.connect(api)) as TestWorker;
      await back.ask(
        {
          type: 'worker.register',
          worker_instance_id: instance,
          worker_session_token: token as string,
          ...forAction(made),
        },
        'worker.registered',
      );
      const eager = await TestWorker.register(api, forAction(made));
      const waiting = eager.ask({ type: 'jobs.claim', available_slots: 1 }).catch(() => null);
      const until = performance.now() + Math.min(20, job.lease_duration_seconds * 1.5) * 1000;
      while (performance.now() < until) {
        expect(await back.ask({ type: 'job.heartbeat', job_id: job.id, lease_token: job.lease_token })).toEqual({
          type: 'job.heartbeat.ack',
          job_id: job.id,
          message_id: expect.any(String) as string,
        });
        await new Promise((resolve) => {
          setTimeout(resolve, job.heartbeat_cadence_seconds * 500);
        });
      }
      expect(await back.report(job, { result: { kept: true } })).toMatchObject({ duplicate: false });
      expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
      expect(eager.frames).toEqual([]);
      eager.kill();
      await waiting;
    },
  );

  it.concurrent(
    'jobs of a worker that dies go to another under the same ids; what the first one says late is dropped',
    async () => {
      const made = await workerAction();
      const instance = unique('i');
      const worker = (await TestWorker.connect(api)) as TestWorker;
      const { worker_session_token: token } = await worker.ask(
        { type: 'worker.register', worker_instance_id: instance, ...forAction(made) },
        'worker.registered',
      );
      const ack = await calling(made, { n: 1 });
      const lost = await worker.claim();
      worker.kill();
      const second = await TestWorker.register(api, forAction(made));
      const job = await second.claim();
      expect(job).toMatchObject({ id: lost.id, claim_attempt: 2, spec: lost.spec });
      expect(job.lease_token).not.toBe(lost.lease_token);
      const late = (await TestWorker.connect(api)) as TestWorker;
      await late.ask(
        {
          type: 'worker.register',
          worker_instance_id: instance,
          worker_session_token: token as string,
          ...forAction(made),
        },
        'worker.registered',
      );
      expect(await late.ask({ type: 'job.heartbeat', job_id: lost.id, lease_token: lost.lease_token })).toMatchObject({
        cancel: { job_id: lost.id, reason: 'lease_lost' },
      });
      expect(await late.report(lost, { result: { by: 'the first' } })).toMatchObject({ duplicate: true });
      expect(await second.report(job, { result: { by: 'the second' } })).toMatchObject({ duplicate: false });
      expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
      expect(await results(ack)).toMatchObject([{ content: '{"by":"the second"}' }]);
    },
  );

  it.concurrent('jobs that no worker takes fail after a while, and the turn goes on', async () => {
    const made = await workerAction();
    const ack = await calling(made);
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect(JSON.parse(String((await results(ack))[0]?.content))).toMatchObject({
      error: { code: 'worker_unavailable' },
    });
  });

  it.concurrent(
    "model calls of a worker that dies are asked of another, and the answer is that one's alone",
    async () => {
      const { route, agent } = await routed();
      const worker = await TestWorker.register(api, { models: [route] });
      const ack = await invoke(api, agent.id, 'Hello');
      const lost = await worker.claim();
      await delta(worker, lost, 0, { text: 'The first' });
      worker.kill();
      const second = await TestWorker.register(api, { models: [route] });
      const job = await second.claim();
      expect(job).toMatchObject({ id: lost.id, claim_attempt: 2 });
      await delta(second, job, 0, { text: 'The sec' });
      await second.report(job, { result: { content: 'The second' } });
      expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
      expect((await allRows(api, ack.session_id)).map((row) => said(row))).toEqual(['Hello', 'The second']);
    },
  );

  it.concurrent('T12: model calls fail the turn when the worker fails, answers nonsense, or is not there', async () => {
    const { route, agent } = await routed();
    const alone = await invoke(api, agent.id, 'Hello');
    expect(await settled(api, alone)).toMatchObject({ status: 'failed', error_type: 'worker_unavailable' });
    const worker = await TestWorker.register(api, { models: [route] });
    for (const report of [
      { status: 'failed', error_type: 'overloaded', error_message: 'too much' },
      { result: { content: [{ type: 'image' }] } },
      { result: {} },
    ]) {
      const ack = await invoke(api, agent.id, 'Hello');
      await worker.report(await worker.claim(), report);
      expect(await settled(api, ack)).toMatchObject({ status: 'failed', error_type: 'model_error' });
    }
  });
});
