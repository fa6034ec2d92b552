import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { faultsOf } from './contract.js';
import type { Client } from './client.js';

export type Protocol = 'v1' | 'v2';
export interface Frame {
  id: string | null;
  event: string;
  data: Record<string, unknown> & { event_type: string };
}

const v1Durable = ['user.message', 'agent.message', 'compaction.created'];
const v2Never = ['message.delta', 'stream.ready', 'stream.end'];
const v2Always = ['turn.upsert', 'interaction.upsert'];
const schema = {
  v1: { $ref: '#/components/schemas/SessionStreamFrame' },
  v2: { $ref: '#/components/schemas/SessionTranscriptFrame' },
};

/**
 * Reads frames out of bytes as they stand on the wire; anything but `id`, `event`, one `data` line and comments is a
 * fault.
 */
export class FrameParser {
  private rest = '';
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  comments = 0;

  constructor(private readonly protocol: Protocol) {}

  push(bytes: Uint8Array): Frame[] {
    this.rest += this.decoder.decode(bytes, { stream: true });
    if (this.rest.includes('\r')) throw new Error('a stream has CR');
    const parts = this.rest.split('\n\n');
    this.rest = parts.pop() ?? '';
    return parts.flatMap((part) => this.frame(part));
  }

  private frame(part: string): Frame[] {
    const lines = part.split('\n');
    if (lines.every((line) => line.startsWith(':'))) {
      this.comments += 1;
      return [];
    }
    const fields = new Map<string, string>();
    for (const line of lines) {
      const name = /^(id|event|data): /.exec(line)?.[1];
      if (name === undefined || fields.has(name))
        throw new Error(`not a line of a frame: ${JSON.stringify(line)} in ${JSON.stringify(part)}`);
      fields.set(name, line.slice(name.length + 2));
    }
    const frame: Frame = {
      id: fields.get('id') ?? null,
      event: fields.get('event') ?? '',
      data: JSON.parse(fields.get('data') ?? '') as Frame['data'],
    };
    const faults = frameFaults(this.protocol, frame);
    if (faults.length > 0)
      throw new Error(`a ${this.protocol} frame breaks the contract:\n${faults.join('\n')}\n${part}`);
    return [frame];
  }
}

function frameFaults(protocol: Protocol, { id, event, data }: Frame): string[] {
  const faults = faultsOf(schema[protocol], data);
  if (data.event_type !== event) faults.push(`event_type ${data.event_type} under event ${event} (F2)`);
  if (protocol === 'v1') {
    const durable = v1Durable.includes(event);
    if (durable && id !== String(data['sequence']))
      faults.push(`id ${id} of a row with sequence ${String(data['sequence'])} (V1)`);
    if (!durable && id !== null) faults.push(`live frame ${event} carries id ${id} (V1, F3)`);
    return faults;
  }
  const streaming = event === 'message.upsert' && data['status'] === 'streaming';
  if (id !== null && (v2Never.includes(event) || streaming)) faults.push(`${event} carries id ${id} (F15)`);
  if (id === null && (v2Always.includes(event) || (event === 'message.upsert' && !streaming)))
    faults.push(`${event} has no id (F15)`);
  if (id !== null && !/^[A-Za-z0-9._~-]{1,256}$/.test(id)) faults.push(`id ${id} is not URL-safe (F12)`);
  return faults;
}

export interface StreamCall {
  method?: 'GET' | 'POST';
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  protocol: Protocol;
  /** Tears the connection down after exactly this many body bytes. */
  cutAfterBytes?: number;
}

/** One open event stream: every frame so far, and how it ended. */
export class EventStream {
  readonly frames: Frame[] = [];
  bytes = 0;
  ending: 'open' | 'ended' | 'cut' | 'broken' = 'open';
  fault: Error | null = null;
  private readonly parser: FrameParser;
  private wakers: (() => void)[] = [];

  constructor(
    private readonly response: IncomingMessage,
    protocol: Protocol,
    private readonly cutAfterBytes: number,
  ) {
    this.parser = new FrameParser(protocol);
    response.on('data', (chunk: Buffer) => this.take(chunk));
    response.on('end', () => this.finish('ended'));
    response.on('error', () => this.finish('broken'));
    response.on('close', () => this.finish('broken'));
  }

  get headers(): Record<string, string | string[] | undefined> {
    return this.response.headers;
  }

  get comments(): number {
    return this.parser.comments;
  }

  of(event: string): Frame[] {
    return this.frames.filter((frame) => frame.event === event);
  }

  lastId(): string | null {
    return this.frames.findLast((frame) => frame.id !== null)?.id ?? null;
  }

  /** Waits for a frame that fits, past or coming; refuses when the stream ends or the time is over. */
  async until(what: string, fits: (frame: Frame) => boolean, withinMs = 60_000): Promise<Frame> {
    const found = await this.wait(
      what,
      () => this.frames.find(fits) ?? (this.ending === 'open' ? null : 'over'),
      withinMs,
    );
    if (found === 'over')
      throw new Error(
        `the stream was ${this.ending} before ${what}; it had ${this.frames.map((frame) => frame.event).join(', ')}`,
      );
    return found;
  }

  /** Waits until the connection is over and gives all its frames. */
  async over(withinMs = 60_000): Promise<Frame[]> {
    await this.wait('the end of the stream', () => (this.ending === 'open' ? null : this.ending), withinMs);
    return this.frames;
  }

  close(): void {
    this.finish('cut');
    this.response.destroy();
  }

  private async wait<Found>(what: string, look: () => Found | null, withinMs: number): Promise<Found> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      if (this.fault) throw this.fault;
      const found = look();
      if (found !== null) return found;
      const left = deadline - performance.now();
      if (left <= 0)
        throw new Error(
          `waited ${withinMs} ms in vain for ${what}; the stream had ${this.frames.map((frame) => frame.event).join(', ')}`,
        );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.wakers.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  private take(chunk: Buffer): void {
    if (this.ending !== 'open') return;
    const allowed = chunk.subarray(0, this.cutAfterBytes - this.bytes);
    this.bytes += allowed.length;
    try {
      this.frames.push(...this.parser.push(allowed));
    } catch (error) {
      this.fault = error as Error;
    }
    if (this.fault || this.bytes >= this.cutAfterBytes) this.close();
    this.wake();
  }

  private finish(ending: 'ended' | 'cut' | 'broken'): void {
    if (this.ending === 'open') this.ending = ending;
    this.wake();
  }

  private wake(): void {
    const wakers = this.wakers;
    this.wakers = [];
    for (const waker of wakers) waker();
  }
}

/**
 * Opens an event stream over a raw connection; refuses when the answer is not 200 `text/event-stream` with the headers
 * of F1.
 */
export function openStream(api: Client, path: string, call: StreamCall): Promise<EventStream> {
  const url = api.url(path, call.query);
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method: call.method ?? 'GET',
        headers: api.headers({ accept: 'text/event-stream', ...call.headers }),
        agent: false,
      },
      (response) => {
        const wrong = headerFault(response);
        if (wrong !== null) {
          response.destroy();
          reject(new Error(`${path}: ${wrong}`));
          return;
        }
        resolve(new EventStream(response, call.protocol, call.cutAfterBytes ?? Number.POSITIVE_INFINITY));
      },
    );
    request.on('error', reject);
    request.end(call.body === undefined ? undefined : JSON.stringify(call.body));
  });
}

function headerFault({ statusCode, headers }: IncomingMessage): string | null {
  if (statusCode !== 200) return `status ${statusCode ?? 0}`;
  if (!headers['content-type']?.startsWith('text/event-stream'))
    return `content type ${headers['content-type'] ?? 'missing'}`;
  if (headers['cache-control'] !== 'no-cache, no-transform')
    return `cache-control ${headers['cache-control'] ?? 'missing'}`;
  if (headers['x-accel-buffering'] !== 'no') return 'x-accel-buffering is not "no"';
  if (headers['content-encoding'] !== undefined)
    return `content-encoding ${headers['content-encoding']} on a stream (G20)`;
  if (headers['x-request-id'] === undefined) return 'no x-request-id';
  return null;
}

export const v1 = (
  api: Client,
  sessionId: string,
  query: Record<string, number> = {},
  more: Partial<StreamCall> = {},
): Promise<EventStream> => openStream(api, `/v1/sessions/${sessionId}/stream`, { protocol: 'v1', query, ...more });
export const v2 = (
  api: Client,
  sessionId: string,
  cursor?: string,
  more: Partial<StreamCall> = {},
): Promise<EventStream> =>
  openStream(api, `/v1/sessions/${sessionId}/transcript/stream`, { protocol: 'v2', query: { cursor }, ...more });
