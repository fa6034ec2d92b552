import { createFinalURL, defaultBodySerializer, mergeHeaders } from 'openapi-fetch';
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

type SentBody = string | FormData;

interface Sent {
  method: string;
  url: string;
  headers: Headers;
  body: SentBody | undefined;
}

/** How the answer is wanted: read to its end within the attempt, or open, as streams are. */
type Wanted = 'whole' | 'open';

const timeoutMsDefault = 60_000;
/** As long as a timer can be: a longer one, such as `Infinity`, would fire at once. */
const timeoutMsMax = 2 ** 31 - 1;
const retriesDefault = 5;
const unsendable = /[^\x21-\x7e]/;
const bodyless = [101, 204, 205, 304];

/** Requests with their key, timeout, retries and errors; openapi-fetch writes path, headers and body. */
export class Transport {
  readonly baseUrl: string;
  private readonly send: Fetch;

  constructor(private readonly options: TransportOptions) {
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.send = options.fetch ?? ((url, init) => fetch(url, init));
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

  /** Refuses a key that no header takes as the service would, without its text, which `fetch` would say. */
  async credential(): Promise<string | undefined> {
    const { key } = this.options;
    const given = typeof key === 'function' ? await key() : key;
    if (given !== undefined && unsendable.test(given))
      throw new ApiError({ code: 'unauthorized', status: 401, message: 'the key has characters that no key has' });
    return given;
  }

  private async answer(method: string, path: string, call: Call, wanted: Wanted): Promise<Response> {
    const request = this.requestOf(method, path, call);
    const isRepeatable = method === 'GET' || method === 'HEAD' || request.headers.has('idempotency-key');
    const retries = wanted === 'whole' && isRepeatable ? (this.options.retries ?? retriesDefault) : 0;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.attempt(request, call, wanted);
      } catch (error) {
        const delay = failures <= retries && isTransient(error) ? delayOf(failures, error) : null;
        if (delay === null) throw error;
        await pause(delay, call.signal);
      }
    }
  }

  private requestOf(method: string, path: string, call: Call): Sent {
    for (const value of Object.values(call.path ?? {}))
      if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${value}" is no id`); // would address another path
    const url = createFinalURL(path, {
      baseUrl: this.baseUrl,
      params: { path: call.path, query: call.query },
      querySerializer: queryText,
      pathSerializer: pathText,
    });
    const isForm = call.body instanceof FormData; // its type has a boundary, which fetch makes
    const type = call.body === undefined || isForm ? {} : { 'content-type': 'application/json' };
    const body = call.body === undefined ? undefined : (defaultBodySerializer(call.body) as SentBody);
    return { method, url, headers: mergeHeaders(type, call.headers), body };
  }

  /** One attempt. What is no success is thrown as `ApiError`; the caller's own abort as it is. */
  private async attempt({ url, ...sent }: Sent, call: Call, wanted: Wanted): Promise<Response> {
    call.signal?.throwIfAborted();
    const timeoutMs = call.timeoutMs ?? this.options.timeoutMs ?? timeoutMsDefault;
    const deadline = new AbortController();
    const timer = setTimeout(
      () => {
        deadline.abort();
      },
      Math.min(timeoutMs, timeoutMsMax),
    );
    const signal = anySignal([call.signal, deadline.signal]);
    try {
      const key = await this.credential();
      const headers = Object.fromEntries(sent.headers);
      if (key !== undefined) headers['authorization'] ??= `Bearer ${key}`;
      const response = await this.send(url, { ...sent, headers, redirect: 'error', signal } as RequestInit);
      if (!response.ok) throw errorOf(response, await response.text());
      return wanted === 'open' ? response : await readToEnd(response);
    } catch (cause) {
      if (cause instanceof ApiError) throw cause;
      call.signal?.throwIfAborted();
      const parts = deadline.signal.aborted
        ? { code: 'timeout', message: `${sent.method} ${url} was not answered within ${timeoutMs} ms` }
        : { code: 'connection_failed', message: `${sent.method} ${url} was not answered: ${reasonOf(cause)}` };
      throw new ApiError({ ...parts, status: 0, cause });
    } finally {
      clearTimeout(timer);
    }
  }
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

/** The values are ids: the library's own serializer knows lists and objects too, and is a thirtieth of this package. */
function pathText(path: string, values: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(values[name])));
}

/** Lists as repeated names; what is undefined, null or empty is left out. */
function queryText(query: Record<string, unknown>): string {
  const pairs = Object.entries(query as Record<string, QueryValue>).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly string[]) : [value]).map((one) => [name, one] as const),
  );
  const given = pairs.filter(([, one]) => one !== undefined && one !== null && one !== '');
  return new URLSearchParams(given.map(([name, one]): [string, string] => [name, String(one)])).toString();
}
