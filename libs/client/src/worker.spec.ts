import { AgentService } from './agent-service.js';
import type { WorkerSocket } from './worker.js';

type Frame = Record<string, unknown> & { type: string };

/** A socket of a service that hands out one job; `reported` is what the worker says of it. */
function serviceWith(reported: (frame: Frame) => void) {
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
      if (frame.type === 'worker.register') this.say({ type: 'worker.registered', worker_session_token: 't' });
      if (frame.type === 'jobs.claim') this.say({ type: 'jobs.claimed', jobs: [job] });
      if (frame.type === 'job.report') reported(frame);
    }
    close(): void {
      this.onclose?.(undefined as never);
    }
    private say(frame: Frame): void {
      queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(frame) } as never));
    }
  };
}

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
});
