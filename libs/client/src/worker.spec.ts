import { AgentService } from './agent-service.js';
import type { WorkerSocket } from './worker.js';

type Frame = Record<string, unknown> & { type: string };

/** A socket of a service that hands out one job; `reported` is what the worker says of it, and gives the answer. */
function serviceWith(reported: (frame: Frame) => Frame | void, registered: Frame = welcome) {
  return class implements WorkerSocket {
    readonly readyState = 1;
    onopen: ((event: never) => unknown) | null = null;
    onmessage: ((event: never) => unknown) | null = null;
    onclose: ((event: never) => unknown) | null = null;
    onerror: ((event: never) => unknown) | null = null;
    constructor() {
      queueMicrotask(() => this.onopen?.(undefined as never));
    }
    send(text: string): void {
      const frame = JSON.parse(text) as Frame;
      const answer = this.answerTo(frame);
      if (answer) this.say(frame.message_id === undefined ? answer : { ...answer, message_id: frame.message_id });
    }
    close(): void {
      this.onclose?.(undefined as never);
    }
    private answerTo(frame: Frame): Frame | void {
      if (frame.type === 'worker.register') return registered;
      if (frame.type === 'jobs.claim') return { type: 'jobs.claimed', jobs: [job] };
      if (frame.type === 'job.report') return reported(frame);
    }
    private say(frame: Frame): void {
      queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(frame) } as never));
    }
  };
}

const welcome: Frame = { type: 'worker.registered', worker_session_token: 't' };
const errorOf = (code: string, message: string): Frame => ({ type: 'error', error: { code, message } });
const job = { id: 'job_1', lease_token: 'l', action_name: 'give', heartbeat_cadence_seconds: 20, spec: {} };
const circle: Record<string, unknown> = {};
circle['own'] = circle;

describe('the report of a worker', () => {
  it.each([
    ['an object', { sum: 3 }, { result: { sum: 3 } }],
    ['nothing', undefined, { result: {} }],
    ['a number', 5, { result: { output: 5 } }],
    ['a list', ['a'], { result: { output: ['a'] } }],
    ['a date', new Date(0), { result: { output: '1970-01-01T00:00:00.000Z' } }],
    ['no JSON', { n: 1n }, { status: 'failed', error_message: expect.stringContaining('BigInt') as string }],
    ['a circle', circle, { status: 'failed', error_message: expect.stringContaining('circular') as string }],
    [
      'more than a frame takes',
      { text: 'x'.repeat(8 * 1024 * 1024) },
      { status: 'failed', error_message: 'the output has more than the 8388608 bytes that a worker may report' },
    ],
  ])('says what became of an action that gives %s', async (_what, given, report) => {
    const svc = new AgentService({ baseUrl: 'http://service' });
    const frame = await new Promise<Frame>((resolve) => {
      const worker = svc.worker({
        actions: { give: () => given as never },
        WebSocket: serviceWith((reported) => {
          worker.close();
          resolve(reported);
        }),
      });
    });
    expect(frame).toMatchObject({ type: 'job.report', job_id: 'job_1', lease_token: 'l', ...report });
  });

  /** What a worker reports of one job whose reports are answered so, one after another; and how often it was done. */
  async function reportsAnsweredWith(answers: (Frame | undefined)[]): Promise<{ reports: Frame[]; runs: number }> {
    const reports: Frame[] = [];
    let runs = 0;
    const svc = new AgentService({ baseUrl: 'http://service' });
    const worker = svc.worker({
      actions: { give: () => ({ run: ++runs }) },
      WebSocket: serviceWith((reported) => {
        reports.push(reported);
        if (reports.length >= answers.length) void worker.drain();
        return answers[reports.length - 1] ?? { type: 'job.report.ack', job_id: job.id };
      }),
    });
    await worker.done;
    return { reports, runs };
  }

  it('is sent again where the service cannot note it now', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const reported = reportsAnsweredWith([errorOf('service_unavailable', 'say it again'), undefined]);
    await jest.advanceTimersByTimeAsync(2_000);
    jest.useRealTimers();
    const { reports, runs } = await reported;
    expect(reports.map(({ result }) => result)).toEqual([{ run: 1 }, { run: 1 }]);
    expect(runs).toBe(1);
  });

  it('fails its job where the service does not take the output', async () => {
    const { reports, runs } = await reportsAnsweredWith([errorOf('bad_request', 'at most 64 levels'), undefined]);
    expect(reports[1]).toMatchObject({ status: 'failed', lease_token: 'l' });
    expect(reports[1]).not.toHaveProperty('result');
    expect(reports[1]?.['error_message']).toContain('at most 64 levels');
    expect(runs).toBe(1);
  });

  it('is given up where the service does not take the failure either', async () => {
    const refused = errorOf('bad_request', 'no');
    await expect(reportsAnsweredWith([refused, refused])).resolves.toMatchObject({ runs: 1 });
  });
});

describe('a worker', () => {
  it('ends with the reason when the service does not take its registration', async () => {
    const svc = new AgentService({ baseUrl: 'http://service' });
    const message = 'concurrency_limit is a whole number from 1';
    const refused = errorOf('bad_request', message);
    const worker = svc.worker({ actions: {}, concurrency: 0, WebSocket: serviceWith(() => undefined, refused) });
    await expect(worker.done).rejects.toMatchObject({ code: 'bad_request', message });
  });

  it('says that it drains on each connection, while it has a job', async () => {
    const fetch = async () => new Response('', { status: 426 });
    const svc = new AgentService({ baseUrl: 'http://service', fetch });
    const drained: number[] = [];
    let connections = 0;
    let finish: () => void = () => undefined;
    const Base = serviceWith(() => ({ type: 'job.report.ack', job_id: job.id }));
    const worker = svc.worker({
      actions: {
        give: () =>
          new Promise((resolve) => {
            finish = () => {
              resolve({});
            };
            void worker.drain();
          }),
      },
      WebSocket: class extends Base {
        readonly connection = ++connections;
        override send(text: string): void {
          super.send(text);
          if (!text.includes('worker.draining')) return;
          drained.push(this.connection);
          if (this.connection === 1) this.close();
          else finish();
        }
      },
    });
    await worker.done;
    expect(drained).toEqual([1, 2]);
  });
});
