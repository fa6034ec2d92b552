import {
  ActionServer,
  type Agent,
  type Block,
  Client,
  type EventStream,
  type Frame,
  type TurnAck,
  allRows,
  cancelTurn,
  createAgent,
  invoke,
  reaches,
  said,
  script,
  settled,
  unique,
  v1,
  v2,
} from '../harness/index.js';
import { TestWorker, endWorkers } from '../harness/worker.js';

const api = Client.owner();
let server: ActionServer;
beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());
afterEach(endWorkers);

interface Made {
  agent: Agent;
  name: string;
}

/** Lines that a test sends one by one. */
class Lines {
  private readonly ready: object[] = [];
  private wake: () => void = () => undefined;
  private isOver = false;

  say(...lines: object[]): void {
    this.ready.push(...lines);
    this.wake();
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object> {
    for (;;) {
      const line = this.ready.shift();
      if (line) yield line;
      else if (this.isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
    }
  }
}

/** By blueprint, which alone marks an action as long-running. */
async function action(
  fields: { type: 'http'; endpoint: string } | { type: 'worker' },
  annotations: object,
): Promise<Made> {
  const name = unique('far');
  await api.post(
    '/v1/blueprints/apply',
    { blueprint_key: name, resources: { actions: [{ key: 'far', name, ...fields, annotations }] } },
    200,
  );
  return { name, agent: await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: name }] }) };
}

async function streaming(annotations: object = {}): Promise<{ made: Made; lines: Lines }> {
  const lines = new Lines();
  return {
    lines,
    made: await action({ type: 'http', endpoint: server.at(`/${unique('lines')}`, () => ({ lines })) }, annotations),
  };
}

const calling = ({ agent, name }: Made): Promise<TurnAck> =>
  invoke(api, agent.id, script({ call: { name, input: { n: 1 } } }, { read: 'last_tool_result' }));
const progressOf = ({ data }: Frame): unknown => data['progress'];
const patches = (stream: EventStream): Frame[] => stream.of('message.block.patch');
const shows = (stream: EventStream, step: unknown): Promise<Frame> =>
  stream.until(
    `progress ${String(step)}`,
    (frame) => (progressOf(frame) as { step?: unknown } | null)?.step === step,
    30_000,
  );

describe('rule TE80: progress of custom actions', () => {
  it.each([{}, { long_running: true }])(
    'lines of an NDJSON reply reach both streams and late joiners, and the last is the output (%j)',
    async (annotations) => {
      const { made, lines } = await streaming(annotations);
      const ack = await calling(made);
      const [second, first] = [await v2(api, ack.session_id), await v1(api, ack.session_id)];
      lines.say({ progress: { step: 1 } });
      const patch = await shows(second, 1);
      expect(patch).toMatchObject({
        id: null,
        event: 'message.block.patch',
        data: { status: 'running', progress: { step: 1 }, content_index: expect.any(Number) as number },
      });
      expect(await shows(first, 1)).toMatchObject({
        event: 'tool.call',
        data: { turn_id: ack.turn_id, tool_name: made.name, input: { n: 1 }, progress: { step: 1 } },
      });
      const [late, lateFirst] = [await v2(api, ack.session_id), await v1(api, ack.session_id)];
      expect((await shows(late, 1)).data['message_id']).toBe(patch.data['message_id']);
      await shows(lateFirst, 1);
      lines.say({ progress: { step: 2 } }, { output: { done: true } });
      lines.end();
      for (const stream of [second, first, late, lateFirst]) await stream.over();
      expect(patches(second).map(progressOf).at(-1)).toBeNull();
      expect(patches(second).at(-1)?.data).toMatchObject({ status: 'ok', progress: null });
      expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
      const rows = await allRows(api, ack.session_id);
      expect(said(rows.at(-1))).toBe('{"done":true}');
      expect(JSON.stringify(rows)).not.toContain('"step"');
      const after = await v2(api, ack.session_id);
      expect((await after.over()).map(progressOf).filter((one) => one !== undefined && one !== null)).toEqual([]);
    },
  );

  it('a flood is at most 4 a second, the newest wins; what is over 4 KiB or no object is not shown', async () => {
    const { made, lines } = await streaming();
    const ack = await calling(made);
    const stream = await v2(api, ack.session_id);
    const from = performance.now();
    lines.say(
      { progress: { step: 'x'.repeat(5000) } },
      { progress: 'soon' },
      ...Array.from({ length: 5000 }, (_, step) => ({ progress: { step } })),
    );
    await shows(stream, 4999);
    const seconds = (performance.now() - from) / 1000;
    const steps = patches(stream)
      .map((frame) => (progressOf(frame) as { step?: unknown } | undefined)?.step)
      .filter((step) => step !== undefined);
    expect(steps.every((step) => typeof step === 'number')).toBe(true);
    expect(steps.length).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1);
    lines.say({ output: 7 });
    lines.end();
    await settled(api, ack);
    expect(said((await allRows(api, ack.session_id)).at(-1))).toBe('{"output":7}');
  });

  it('a reply that ends without an output has failed; a cancelled turn clears what was shown', async () => {
    const broken = await streaming();
    const failed = await calling(broken.made);
    broken.lines.say({ progress: { step: 1 } });
    broken.lines.end();
    await settled(api, failed);
    const results = (await allRows(api, failed.session_id)).flatMap(({ content }) =>
      content.filter(({ type }: Block) => type === 'tool_result'),
    );
    expect(results).toMatchObject([{ is_error: true }]);
    expect(String(results[0]?.content)).toContain('invalid_reply');
    const { made, lines } = await streaming();
    const ack = await calling(made);
    const stream = await v2(api, ack.session_id);
    lines.say({ progress: { step: 1 } });
    await shows(stream, 1);
    await cancelTurn(api, ack);
    await stream.over();
    expect(patches(stream).at(-1)?.data).toMatchObject({ status: 'cancelled', progress: null });
    lines.end();
  });
});

describe('rule TE80: job.progress of workers', () => {
  it.each([{}, { long_running: true }])(
    'reaches both streams and late joiners; its last word is null (%j)',
    async (annotations) => {
      const made = await action({ type: 'worker' }, annotations);
      const worker = await TestWorker.register(api, { action_names: [made.name] });
      const ack = await calling(made);
      const job = await worker.claim();
      const lease = { job_id: job.id, lease_token: job.lease_token };
      const [second, first] = [await v2(api, ack.session_id), await v1(api, ack.session_id)];
      worker.send({ type: 'job.progress', ...lease, progress: { step: 1 } });
      expect(await shows(second, 1)).toMatchObject({ event: 'message.block.patch', data: { status: 'running' } });
      expect(await shows(first, 1)).toMatchObject({ event: 'tool.call', data: { tool_name: made.name } });
      await shows(await v2(api, ack.session_id), 1);
      const from = performance.now();
      for (let step = 2; step <= 200; step += 1) worker.send({ type: 'job.progress', ...lease, progress: { step } });
      await shows(second, 200);
      const seconds = (performance.now() - from) / 1000;
      const shown = patches(second).filter((frame) => progressOf(frame) != null).length;
      expect(shown).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 2);
      await worker.report(job, { result: { fine: true } });
      await second.over();
      expect(patches(second).at(-1)?.data).toMatchObject({ status: 'ok', progress: null });
      expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
      expect(worker.frames.filter(({ type }) => type === 'error')).toEqual([]);
    },
  );

  it('counts for who holds the lease only, and refuses what is too large', async () => {
    const made = await action({ type: 'worker' }, {});
    const worker = await TestWorker.register(api, { action_names: [made.name] });
    const ack = await calling(made);
    const job = await worker.claim();
    const lease = { job_id: job.id, lease_token: job.lease_token };
    const stream = await v2(api, ack.session_id);
    expect(
      await worker.ask({ type: 'job.progress', ...lease, progress: { step: 'x'.repeat(4096) } }, 'error'),
    ).toMatchObject({ error: { code: 'bad_request' } });
    expect(
      await worker.ask(
        { type: 'job.progress', job_id: job.id, lease_token: 'another', progress: { step: 3 } },
        'error',
      ),
    ).toMatchObject({ error: { code: 'lease_lost' } });
    worker.send({ type: 'job.progress', ...lease, progress: { step: 4 } });
    await shows(stream, 4);
    expect(
      patches(stream).some((frame) => (progressOf(frame) as { step?: unknown } | null | undefined)?.step === 3),
    ).toBe(false);
    await worker.report(job, { result: {} });
    await reaches(api, ack, 'completed');
  });
});
