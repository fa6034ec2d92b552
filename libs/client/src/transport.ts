import createClient, { type Client } from 'openapi-fetch';
import { ApiError, errorOf } from './api-error.js';
import { anySignal, delayOf, isTransient, pause } from './retry.js';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
export type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined;

export interface TransportOptions {
  /** Where the service listens, such as `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** An API key or a token: asked for before each request where it is a function. */
  key?: string | (() => string | Promise<string>);
  fetch?: Fetch;
  /** Of one attempt, 60 s when left out. Streams have none: they are given up when nothing came for 45 s. */
  timeoutMs?: number;
  /** Attempts after the first, of what may be repeated; 5 when left out. */
  retries?: number;
}

export interface Call {
  /** Values of the `{names}` in the path. */
  path?: Record<string, string>;
  query?: Record<string, QueryValue>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  timeoutMs?: number;
}

type SentBody = string | ArrayBuffer;
/** How the answer is wanted: read to its end within the attempt, or open, as streams are. */
type Wanted = 'whole' | 'open';

const timeoutMsDefault = 60_000;
const retriesDefault = 5;
const bodyless = [101, 204, 205, 304];

/** Requests with their key, timeout, retries and errors; paths and queries are put together by openapi-fetch. */
export class Transport {
  readonly baseUrl: string;
  private readonly client: Client<Record<string, never>>;
  private readonly send: Fetch;

  constructor(private readonly options: TransportOptions) {
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.send = options.fetch ?? ((url, init) => fetch(url, init));
    this.client = createClient({ baseUrl: this.baseUrl, querySerializer: queryText });
  }

  /** The whole answer, its body read. Refuses with `ApiError` when it is no success. */
  whole(method: string, path: string, call: Call = {}): Promise<Response> {
    return this.answer(method, path, call, 'whole');
  }

  /** An answer whose body is still coming; one attempt, because its reader comes back by itself. */
  open(method: string, path: string, call: Call = {}): Promise<Response> {
    return this.answer(method, path, { ...call, headers: { accept: 'text/event-stream', ...call.headers } }, 'open');
  }

  /** JSON of an answer; undefined without a body. */
  async json<Body>(method: string, path: string, call: Call = {}): Promise<Body> {
    const response = await this.whole(method, path, call);
    const text = await response.text();
    if (text === '') return undefined as Body;
    try {
      return JSON.parse(text) as Body;
    } catch (cause) {
      const { status } = response;
      const message = `${method} ${path} was answered with something that is no JSON`;
      throw new ApiError({
        code: 'invalid_response',
        status,
        message,
        requestId: response.headers.get('x-request-id'),
        cause,
      });
    }
  }

  async credential(): Promise<string | undefined> {
    const { key } = this.options;
    return typeof key === 'function' ? key() : key;
  }

  private async answer(method: string, path: string, call: Call, wanted: Wanted): Promise<Response> {
    for (const value of Object.values(call.path ?? {}))
      if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${value}" is no id`); // would address another path
    const { response } = await this.client.request(
      method as 'get',
      path as never,
      {
        params: { path: call.path, query: call.query },
        body: call.body,
        headers: call.headers,
        signal: call.signal,
        parseAs: 'stream',
        fetch: (request: Request) => this.repeated(request, call, wanted),
      } as never,
    );
    return response;
  }

  private async repeated(request: Request, call: Call, wanted: Wanted): Promise<Response> {
    const body = await bodyOf(request);
    const retries = wanted === 'whole' && isRepeatable(request) ? (this.options.retries ?? retriesDefault) : 0;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.attempt(request, body, call, wanted);
      } catch (error) {
        const delay = failures <= retries && isTransient(error) ? delayOf(failures, error) : null;
        if (delay === null) throw error;
        await pause(delay, call.signal);
      }
    }
  }

  /** One attempt. What is no success is thrown as `ApiError`; the caller's own abort as it is. */
  private async attempt(request: Request, body: SentBody | undefined, call: Call, wanted: Wanted): Promise<Response> {
    call.signal?.throwIfAborted();
    const timeoutMs = call.timeoutMs ?? this.options.timeoutMs ?? timeoutMsDefault;
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort();
    }, timeoutMs);
    const signal = anySignal([call.signal, deadline.signal]);
    try {
      const key = await this.credential();
      const headers = Object.fromEntries(request.headers);
      if (key !== undefined) headers['authorization'] ??= `Bearer ${key}`;
      const init = { method: request.method, headers, body, redirect: 'error', signal } as RequestInit;
      const response = await this.send(request.url, init);
      if (!response.ok) throw errorOf(response, await response.text());
      return wanted === 'open' ? response : await readToEnd(response);
    } catch (cause) {
      if (cause instanceof ApiError) throw cause;
      call.signal?.throwIfAborted();
      const { method, url } = request;
      const parts = deadline.signal.aborted
        ? { code: 'timeout', message: `${method} ${url} was not answered within ${timeoutMs} ms` }
        : { code: 'connection_failed', message: `${method} ${url} was not answered: ${reasonOf(cause)}` };
      throw new ApiError({ ...parts, status: 0, cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Reads, and writes under a key of the caller: a second attempt does nothing that the first has done. */
function isRepeatable({ method, headers }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || headers.has('idempotency-key');
}

async function bodyOf(request: Request): Promise<SentBody | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  if (request.headers.get('content-type')?.startsWith('application/json')) return request.text();
  const bytes = await request.arrayBuffer();
  return bytes.byteLength === 0 ? undefined : bytes;
}

/** The answer with its body in memory: a cut after the headers fails the attempt and no later reader. */
async function readToEnd(response: Response): Promise<Response> {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.delete('content-encoding');
  headers.delete('content-length');
  if (bodyless.includes(status)) return new Response(null, { status, statusText, headers });
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

function reasonOf(cause: unknown): string {
  const inner = (cause as { cause?: unknown } | null)?.cause ?? cause;
  return inner instanceof Error && inner.message !== '' ? inner.message : String(cause);
}

/** Lists as repeated names; what is undefined, null or empty is left out. */
function queryText(query: Record<string, unknown>): string {
  const pairs = Object.entries(query as Record<string, QueryValue>).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly string[]) : [value]).map((one) => [name, one] as const),
  );
  const given = pairs.filter(([, one]) => one !== undefined && one !== null && one !== '');
  return new URLSearchParams(given.map(([name, one]): [string, string] => [name, String(one)])).toString();
}
