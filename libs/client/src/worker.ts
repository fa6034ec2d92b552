import { typed, type Json, type JsonObject } from './json.js';
import { delayOf, onAbort, pause, randomKey } from './retry.js';
import { ApiError } from './api-error.js';
import type { Transport } from './transport.js';
import type { Schema } from './wire.js';

export type Job = Schema<'WorkerSocketClaimedJob'>;

export interface JobContext {
  job: Job;
  /** The same on every offer of the job: effects are deduplicated on it. */
  deliveryId: string;
  /** Fires when the outcome is no longer wanted. */
  signal: AbortSignal;
  /** Shows viewers of the turn how far the action is. */
  progress(progress: JsonObject): void;
}

export type ActionHandler = (
  input: JsonObject,
  context: JobContext,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

export interface WorkerOptions {
  /** What it carries out, by name of the action. What a handler throws fails the job with its message. */
  actions: Record<string, ActionHandler>;
  name?: string;
  version?: string;
  /** Jobs at a time; 1 when left out. */
  concurrency?: number;
  signal?: AbortSignal;
  /** Where the platform has none (Node before 22): that of npm `ws`. */
  WebSocket?: new (url: string, protocols: string[]) => WorkerSocket;
}

/** What is used of a WebSocket. */
export interface WorkerSocket {
  readonly readyState: number;
  onopen: ((event: never) => unknown) | null;
  onmessage: ((event: never) => unknown) | null;
  onclose: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
  send(text: string): void;
  close(): void;
}

interface Running {
  lease: { job_id: string; lease_token: string };
  cancelled: AbortController;
  report: JsonObject | null;
}

type Frame = Record<string, unknown> & { type: string; message_id?: string };

const open = 1;
const claimPatienceMs = 60_000;
const reportAgainMs = 2_000;
const registrationId = 'register';
/** A larger frame ends the connection. */
const resultBytesMax = 8 * 1024 * 1024;
const messageCharactersMax = 4_000;
const fatalCodes = ['invalid_actor', 'worker_instance_conflict'];

/**
 * Carries out jobs over a socket that it opens itself. It comes back after a lost connection with the jobs that it has,
 * until `drain()`, `close()`, or an answer that ends it for good.
 */
export class Worker {
  /** Fulfilled after `drain()` and `close()`; refused when the service does not let it work. */
  readonly done: Promise<void>;
  private readonly instance = randomKey();
  private readonly running = new Map<string, Running>();
  private readonly stopping = new AbortController();
  private socket: WorkerSocket | null = null;
  private sessionToken: string | undefined;
  private claim: { id: string; timer: ReturnType<typeof setTimeout> } | null = null;
  private isDraining = false;
  private fatal: ApiError | null = null;

  constructor(
    private readonly transport: Transport,
    private readonly options: WorkerOptions,
  ) {
    onAbort(options.signal, () => {
      this.close();
    });
    this.done = this.run();
    this.done.catch(() => undefined); // it refuses those who ask
  }

  /** Takes no more jobs, and ends when those under way are done. */
  drain(): Promise<void> {
    this.isDraining = true;
    this.send({ type: 'worker.draining' });
    this.endWhenIdle();
    return this.done;
  }

  /** Ends at once; the service offers what was under way to another worker. */
  close(): void {
    this.stopping.abort();
    this.socket?.close();
    for (const { cancelled } of this.running.values()) cancelled.abort();
  }

  private async run(): Promise<void> {
    for (let failures = 1; !this.stopping.signal.aborted; failures += 1) {
      if (await this.connection()) failures = 0;
      if (this.fatal !== null) throw this.fatal;
      if (this.stopping.signal.aborted) return;
      await this.refuseWhereRefused();
      const delay = delayOf(Math.max(1, failures), null) ?? 0;
      await pause(delay, this.stopping.signal).catch(() => undefined); // stopped: the loop ends
    }
  }

  /** One connection, from its opening to its end; gives whether the service answered on it. */
  private async connection(): Promise<boolean> {
    const Socket = this.options.WebSocket ?? (globalThis as { WebSocket?: WorkerOptions['WebSocket'] }).WebSocket;
    if (!Socket) throw new TypeError('this platform has no WebSocket: give one, such as that of npm `ws`');
    const key = await this.transport.credential();
    const url = `${this.transport.baseUrl.replace(/^http/, 'ws')}/v1/workers/socket`;
    const socket = new Socket(url, ['svc.worker.v1', ...(key === undefined ? [] : [`bearer.${key}`])]);
    this.socket = socket;
    let isRegistered = false;
    await new Promise<void>((resolve) => {
      socket.onopen = () => {
        this.register();
      };
      socket.onmessage = (event) => {
        isRegistered = true;
        this.take(JSON.parse(String(typed<{ data: unknown }>(event).data)) as Frame);
      };
      socket.onerror = () => undefined; // `close` follows
      socket.onclose = () => {
        resolve();
      };
      if (this.stopping.signal.aborted) socket.close();
    });
    this.socket = null;
    this.endClaim();
    return isRegistered;
  }

  /** A WebSocket does not say why it was refused; the same path asked plainly does. */
  private async refuseWhereRefused(): Promise<void> {
    try {
      await this.transport.whole('GET', '/v1/workers/socket', { signal: this.stopping.signal });
    } catch (error) {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) throw error;
    }
  }

  private register(): void {
    const { actions, name, version, concurrency } = this.options;
    this.send({
      type: 'worker.register',
      message_id: registrationId,
      worker_instance_id: this.instance,
      worker_session_token: this.sessionToken,
      action_names: Object.keys(actions),
      name,
      version,
      concurrency_limit: concurrency,
    });
  }

  private take(frame: Frame): void {
    switch (frame.type) {
      case 'worker.registered':
        this.sessionToken = String(frame['worker_session_token']);
        if (this.isDraining) this.send({ type: 'worker.draining' });
        for (const running of this.running.values()) this.report(running);
        this.claimMore();
        break;
      case 'jobs.claimed':
        this.endClaim();
        for (const job of (frame['jobs'] ?? []) as Job[]) void this.carryOut(job);
        this.claimMore();
        break;
      case 'work.available':
        this.claimMore();
        break;
      case 'keepalive':
        this.send({ type: 'keepalive' });
        break;
      case 'job.cancel':
        this.running.get(String(frame['job_id']))?.cancelled.abort();
        break;
      case 'job.heartbeat.ack':
        if (frame['cancel']) this.running.get(String(frame['job_id']))?.cancelled.abort();
        break;
      case 'job.report.ack':
        this.forget(String(frame['job_id']));
        break;
      case 'error':
        this.failed(frame);
        break;
      default: // of the rest nothing follows
        break;
    }
  }

  private failed(frame: Frame): void {
    const { code = '', message = code } = frame['error'] as { code?: string; message?: string };
    if (fatalCodes.includes(code) || frame.message_id === registrationId) {
      if (code !== 'service_unavailable') this.fatal = new ApiError({ code, status: 0, message });
      this.socket?.close();
    } else if (frame.message_id === this.claim?.id) this.endClaim();
    else this.notTaken(this.running.get(frame.message_id ?? ''), code, message);
  }

  /** Of a report, under the id of its job: forgotten, its job would be offered and carried out again. */
  private notTaken(running: Running | undefined, code: string, message: string): void {
    if (!running?.report) return;
    if (code === 'service_unavailable') {
      setTimeout(() => {
        this.report(running);
      }, reportAgainMs);
    } else if (running.report['status'] === 'failed') this.forget(running.lease.job_id);
    else {
      running.report = failureOf(`the service does not take the output: ${message}`);
      this.report(running);
    }
  }

  private claimMore(): void {
    const slots = (this.options.concurrency ?? 1) - this.running.size;
    if (slots <= 0 || this.claim !== null || this.isDraining || this.stopping.signal.aborted) return;
    const id = randomKey();
    const timer = setTimeout(() => this.socket?.close(), claimPatienceMs); // unanswered: the connection is dead
    this.claim = { id, timer };
    this.send({ type: 'jobs.claim', message_id: id, available_slots: slots });
  }

  private endClaim(): void {
    clearTimeout(this.claim?.timer);
    this.claim = null;
  }

  private async carryOut(job: Job): Promise<void> {
    const lease = { job_id: job.id, lease_token: job.lease_token };
    const known = this.running.get(job.id);
    if (known) {
      known.lease = lease; // offered anew while it is still carried out here
      this.report(known);
      return;
    }
    const running: Running = { lease, cancelled: new AbortController(), report: null };
    this.running.set(job.id, running);
    const beat = setInterval(() => {
      this.send({ type: 'job.heartbeat', ...running.lease });
    }, job.heartbeat_cadence_seconds * 1000);
    try {
      running.report = { result: resultOf(await this.outcome(job, running)) };
    } catch (error) {
      running.report = failureOf(error instanceof Error ? error.message : String(error));
    } finally {
      clearInterval(beat);
    }
    this.report(running);
  }

  private async outcome(job: Job, running: Running): Promise<JsonObject | undefined> {
    const spec = typed<{ parameters?: JsonObject; delivery_id?: string }>(job.spec);
    const name = job.action_name ?? '';
    const handler = this.options.actions[name];
    if (!handler) throw new Error(`this worker has no action ${name}`);
    return handler(spec.parameters ?? {}, {
      job,
      deliveryId: spec.delivery_id ?? job.id,
      signal: running.cancelled.signal,
      progress: (progress) => {
        this.send({ type: 'job.progress', ...running.lease, progress });
      },
    });
  }

  /** Sent again after each reconnection, until the service has it. */
  private report({ lease, report }: Running): void {
    if (report !== null) this.send({ type: 'job.report', message_id: lease.job_id, ...lease, ...report });
  }

  private forget(jobId: string): void {
    this.running.delete(jobId);
    this.claimMore();
    this.endWhenIdle();
  }

  private endWhenIdle(): void {
    if (this.isDraining && this.running.size === 0) this.close();
  }

  private send(frame: Frame): void {
    if (this.socket?.readyState === open) this.socket.send(JSON.stringify(frame));
  }
}

/** Output of a job as it is reported; what is no object is wrapped. Throws for what is no JSON, or too large. */
function resultOf(output: unknown): JsonObject {
  const text = JSON.stringify(output ?? {});
  if (new TextEncoder().encode(text).length > resultBytesMax)
    throw new RangeError(`the output has more than the ${resultBytesMax} bytes that a worker may report`);
  const json = JSON.parse(text) as Json;
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? json : { output: json };
}

function failureOf(message: string): JsonObject {
  const characters = [...message.slice(0, 2 * messageCharactersMax)].slice(0, messageCharactersMax);
  return { status: 'failed', error_message: characters.join('') };
}
