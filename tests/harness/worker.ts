import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Client } from './client.js';
import { faultsOf } from './contract.js';

export type Frame = { type: string; message_id?: string } & Record<string, unknown>;
export interface Job {
  id: string;
  kind: string;
  lease_token: string;
  claim_attempt: number;
  spec: Record<string, unknown>;
  heartbeat_cadence_seconds: number;
  lease_duration_seconds: number;
  [member: string]: unknown;
}

const frameMs = 60_000;
const frameSchema = { $ref: '#/components/schemas/WorkerSocketFrame' };
const made: TestWorker[] = [];

/** Call after each test: ends the workers that it left. */
export function endWorkers(): void {
  for (const worker of made.splice(0)) worker.kill();
}

/**
 * Speaks to the service as a worker and holds both sides to the contract. Keepalives are answered; everything else
 * waits to be read, in order.
 */
export class TestWorker {
  readonly frames: Frame[] = [];
  /** Every frame as it came, keepalives too. */
  readonly received: string[] = [];
  closedWith: number | null = null;
  private waiting: (() => void)[] = [];
  private count = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const text = (data as Buffer).toString();
      this.received.push(text);
      const frame = JSON.parse(text) as Frame;
      const faults = faultsOf(frameSchema, frame);
      if (faults.length > 0)
        throw new Error(`the frame ${JSON.stringify(frame)} breaks the contract:\n${faults.join('\n')}`);
      if (frame.type === 'keepalive') this.send({ type: 'keepalive' });
      else this.frames.push(frame);
      this.tell();
    });
    socket.on('close', (code) => {
      this.closedWith = code;
      this.tell();
    });
    socket.on('error', () => undefined);
  }

  /** Opens a connection; gives the worker, or the status that the service refused it with. */
  static async connect(
    api: Client,
    how: { protocols?: string[]; headers?: Record<string, string> } = {},
  ): Promise<TestWorker | number> {
    const headers = how.headers ?? (how.protocols ? {} : { authorization: `Bearer ${api.key ?? ''}` });
    const socket = new WebSocket(`${api.baseUrl.replace(/^http/, 'ws')}/v1/workers/socket`, how.protocols ?? [], {
      headers,
    });
    const worker = new TestWorker(socket);
    made.push(worker);
    const refused = new Promise<number>((resolve) => {
      socket.on('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0);
      });
    });
    return Promise.race([once(socket, 'open').then(() => worker), refused]);
  }

  /** A worker that is registered. */
  static async register(api: Client, fields: Record<string, unknown> = {}): Promise<TestWorker> {
    const worker = await TestWorker.connect(api);
    if (!(worker instanceof TestWorker)) throw new Error(`refused with ${worker}`);
    await worker.ask(
      { type: 'worker.register', worker_instance_id: `i-${process.pid}-${Math.random()}`, ...fields },
      'worker.registered',
    );
    return worker;
  }

  send(frame: Frame): void {
    const faults = faultsOf(frameSchema, frame);
    if (faults.length > 0)
      throw new Error(`the frame ${JSON.stringify(frame)} breaks the contract:\n${faults.join('\n')}`);
    this.sendAnyhow(JSON.stringify(frame));
  }

  sendAnyhow(text: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  /** Sends a frame under an id of its own and gives the answer that bears it. */
  async ask(frame: Frame, answer?: string): Promise<Frame> {
    this.count += 1;
    const id = `m${this.count}`;
    this.send({ ...frame, message_id: id });
    const got = await this.next((one) => one.message_id === id, `the answer to ${frame.type}`);
    if (answer !== undefined && got.type !== answer) throw new Error(`${JSON.stringify(got)} instead of ${answer}`);
    return got;
  }

  /** The first frame that fits, now or later. */
  async next(fits: (frame: Frame) => boolean, what: string, withinMs = frameMs): Promise<Frame> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const index = this.frames.findIndex(fits);
      const [found] = index < 0 ? [] : this.frames.splice(index, 1);
      if (found) return found;
      if (this.closedWith !== null) throw new Error(`the connection ended with ${this.closedWith} before ${what}`);
      if (performance.now() > deadline)
        throw new Error(`waited ${withinMs} ms in vain for ${what}; there are ${JSON.stringify(this.frames)}`);
      await this.change(deadline - performance.now());
    }
  }

  nextOf(type: string, withinMs?: number): Promise<Frame> {
    return this.next((frame) => frame.type === type, type, withinMs);
  }

  /** Claims until there is a job. */
  async claim(fields: Record<string, unknown> = {}): Promise<Job> {
    for (let tries = 0; tries < 4; tries += 1) {
      const { jobs } = (await this.ask(
        { type: 'jobs.claim', available_slots: 1, ...fields },
        'jobs.claimed',
      )) as Frame & { jobs: Job[] };
      if (jobs[0]) return jobs[0];
    }
    throw new Error('no job came');
  }

  report(job: Job, fields: Record<string, unknown>): Promise<Frame> {
    return this.ask({ type: 'job.report', job_id: job.id, lease_token: job.lease_token, ...fields }, 'job.report.ack');
  }

  /** Ends without a word, like a process that is killed. */
  kill(): void {
    this.socket.terminate();
  }

  async closed(withinMs = frameMs): Promise<number> {
    const deadline = performance.now() + withinMs;
    while (this.closedWith === null) {
      if (performance.now() > deadline) throw new Error('the connection did not end');
      await this.change(deadline - performance.now());
    }
    return this.closedWith;
  }

  private change(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, withinMs));
      this.waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private tell(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
