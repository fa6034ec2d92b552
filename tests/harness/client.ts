import {
  everyPathStatus,
  type Operation,
  faultsOf,
  operationOf,
  requestFaults,
  responseOf,
  statusOfCode,
} from './contract.js';
import type { ErrorBody } from './wire.js';

type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface Call {
  query?: Record<string, QueryValue>;
  body?: unknown;
  headers?: Record<string, string>;
  /** The request breaks the contract on purpose: it is sent as it is. */
  invalid?: boolean;
  /** The status that must come back; without it any declared 2xx. */
  expect?: number;
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

const answerMs = 60_000;
const notArrived = 408;
/** So long the service waits for a request's head. */
const arrivalMs = 10_000;
const triesMax = 3;

/** The origin and key of the service under test; `tools/test.mjs` and the fleet's tool set them. */
export function underTest(): { baseUrl: string; ownerKey: string } {
  const { BASE_URL: baseUrl, OWNER_KEY: ownerKey } = process.env;
  if (!baseUrl || !ownerKey)
    throw new Error('BASE_URL and OWNER_KEY name the service under test: run these suites with `npm test -- tests`');
  return { baseUrl: baseUrl.replace(/\/$/, ''), ownerKey };
}

/**
 * Speaks to the service as one caller and holds both sides to the contract: a request that is not marked `invalid` must
 * fit it, and every answer must have a declared status, a body of that status's schema and a request identity.
 */
export class Client {
  constructor(
    readonly baseUrl: string,
    readonly key: string | null,
  ) {}

  static owner(): Client {
    const { baseUrl, ownerKey } = underTest();
    return new Client(baseUrl, ownerKey);
  }

  as(key: string | null): Client {
    return new Client(this.baseUrl, key);
  }

  async get<Body>(path: string, query?: Record<string, QueryValue>): Promise<Body> {
    return (await this.call<Body>('GET', path, { query })).body;
  }

  async post<Body>(path: string, body?: unknown, expect?: number): Promise<Body> {
    return (await this.call<Body>('POST', path, { body, expect })).body;
  }

  async put<Body>(path: string, body?: unknown, expect?: number): Promise<Body> {
    return (await this.call<Body>('PUT', path, { body, expect })).body;
  }

  async patch<Body>(path: string, body: unknown, expect?: number): Promise<Body> {
    return (await this.call<Body>('PATCH', path, { body, expect })).body;
  }

  async delete(path: string): Promise<void> {
    await this.call<null>('DELETE', path, { expect: 204 });
  }

  /** One call that must succeed (with `expect` when given); gives the answer. */
  async call<Body>(method: string, path: string, call: Call = {}): Promise<Answer<Body>> {
    const answer = await this.send(method, path, call);
    const fits =
      call.expect === undefined ? answer.status >= 200 && answer.status < 300 : answer.status === call.expect;
    if (!fits)
      throw new Error(
        `${method} ${path}: ${answer.status} instead of ${call.expect ?? '2xx'}: ${answer.text.slice(0, 2000)}`,
      );
    return answer as Answer<Body>;
  }

  /** One call that must be refused with this code and its status; gives the details (empty when left out). */
  async refused(code: string, method: string, path: string, call: Call = {}): Promise<Record<string, unknown>> {
    const answer = await this.send(method, path, call);
    const got = answer.status >= 400 ? (answer.body as ErrorBody).error.code : '(none)';
    if (got !== code)
      throw new Error(`${method} ${path}: ${answer.status} ${got} instead of ${code}: ${answer.text.slice(0, 2000)}`);
    return (answer.body as ErrorBody).error.details ?? {};
  }

  /** Sends one request, whatever the answer; both are checked against the contract. */
  async send(method: string, path: string, call: Call = {}): Promise<Answer<unknown>> {
    const url = this.url(path, call.query);
    const operation = operationOf(method, url.pathname);
    if (!call.invalid) {
      if (!operation) throw new Error(`${method} ${url.pathname} is not in the contract`);
      const faults = requestFaults(operation, url.searchParams, call.body);
      if (faults.length > 0)
        throw new Error(`the request ${method} ${path} breaks the contract:\n${faults.join('\n')}`);
    }
    const request = {
      method,
      headers: this.headers(call.headers),
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
    };
    const { response, text } = await answered(url, request);
    const faults = answerFaults(operation, response, text);
    if (faults.length > 0)
      throw new Error(
        `the answer to ${method} ${path} breaks the contract:\n${faults.join('\n')}\n${response.status} ${text.slice(0, 4000)}`,
      );
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text !== '' && isJson ? (JSON.parse(text) as unknown) : text === '' ? null : text,
    };
  }

  url(path: string, query: Record<string, QueryValue> = {}): URL {
    const url = new URL(this.baseUrl + path);
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue;
      for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)])
        url.searchParams.append(name, one);
    }
    return url;
  }

  /** As the reference client does: credential and JSON content type on every call. */
  headers(extra: Record<string, string> = {}): Record<string, string> {
    return {
      ...(this.key === null ? {} : { authorization: `Bearer ${this.key}` }),
      'content-type': 'application/json',
      ...extra,
    };
  }
}

/** The answer to a request. One that this process was too slow to send was not begun (408): it is sent again. */
async function answered(url: URL, request: RequestInit): Promise<{ response: Response; text: string }> {
  for (let tries = 1; ; tries += 1) {
    const from = performance.now();
    const response = await fetch(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(answerMs) });
    const text = await response.text();
    const isLate = response.status === notArrived && performance.now() - from >= arrivalMs;
    if (!isLate || tries === triesMax) return { response, text };
  }
}

/** What an answer breaks of the contract: undeclared status or type, a body of another shape, an error out of form. */
export function answerFaults(operation: Operation | null, response: Response, text: string): string[] {
  const faults: string[] = [];
  if (!response.headers.get('x-request-id')) faults.push('X-Request-Id is missing');
  if (response.status >= 400) faults.push(...errorFaults(response, text));
  if (!operation) return faults;
  const declared = responseOf(operation, response.status);
  if (!declared) {
    if (!everyPathStatus.includes(response.status))
      faults.push(`${response.status} is not declared for ${operation.operationId}`);
    return faults;
  }
  const contentType = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const media = declared.content?.[contentType];
  if (!declared.content) {
    if (text !== '') faults.push(`${response.status} has no body by the contract`);
  } else if (!media) {
    faults.push(`content type "${contentType}" is not declared for ${response.status} of ${operation.operationId}`);
  } else if (contentType === 'application/json') {
    faults.push(...faultsOf(media.schema, JSON.parse(text) as unknown));
  }
  return faults;
}

function errorFaults(response: Response, text: string): string[] {
  if (!response.headers.get('content-type')?.startsWith('application/json')) return ['an error is not JSON'];
  const body = JSON.parse(text) as ErrorBody;
  const faults = faultsOf({ $ref: '#/components/schemas/ErrorResponse' }, body);
  // 503 of /readyz is a health record, checked by its own schema
  if (faults.length > 0) return 'status' in body ? [] : faults;
  if (statusOfCode(body.error.code) !== response.status)
    faults.push(`code ${body.error.code} came with status ${response.status}`);
  if (body.error.details && Object.keys(body.error.details).length === 0) faults.push('empty details are left out');
  if (response.status === 401 && response.headers.get('www-authenticate') !== 'Bearer')
    faults.push('401 without WWW-Authenticate: Bearer');
  if (response.status === 429 && !/^\d+$/.test(response.headers.get('retry-after') ?? ''))
    faults.push('429 without Retry-After in seconds');
  if (response.status === 503 && !/^\d+$/.test(response.headers.get('retry-after') ?? ''))
    faults.push('503 without Retry-After');
  return faults;
}
