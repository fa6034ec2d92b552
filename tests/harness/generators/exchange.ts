import { type Client, answerFaults } from '../client.js';
import { operationOf } from '../contract.js';
import type { ApiOperation } from './operations.js';

export interface GeneratedRequest {
  operation: ApiOperation;
  params: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Exchanged {
  status: number;
  /** Everything that came back: status line's number, headers and body. */
  bytes: string;
  text: string;
  /** Code of an error, else null. */
  code: string | null;
  details: Record<string, unknown>;
  json: unknown;
  faults: string[];
}

const answerMs = 60_000;
const streamBytesMax = 256 * 1024;
const defaultStreamMs = 250;

export function pathOf({ operation, params }: GeneratedRequest): string {
  return operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'missing'));
}

function bodyOf({ operation, body }: GeneratedRequest): { body?: string | FormData; type: Record<string, string> } {
  if (operation.mediaType === 'multipart/form-data' && body !== null && typeof body === 'object') {
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) {
      if (value === undefined) continue;
      if (name === 'file') form.set(name, new Blob([String(value)], { type: 'text/plain' }), 'file.txt');
      else form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    return { body: form, type: {} };
  }
  return {
    ...(body === undefined || operation.method === 'GET' ? {} : { body: JSON.stringify(body) }),
    type: { 'content-type': 'application/json' },
  };
}

/**
 * Sends one generated request as it is, reads the answer (of a stream what comes in `streamMs`), and names what it
 * breaks of the contract.
 */
export async function exchange(api: Client, request: GeneratedRequest, streamMs = defaultStreamMs): Promise<Exchanged> {
  const url = api.url(pathOf(request), request.query);
  const { body, type } = bodyOf(request);
  const ending = new AbortController();
  const deadline = AbortSignal.timeout(answerMs);
  const response = await fetch(url, {
    method: request.operation.method,
    redirect: 'manual',
    signal: AbortSignal.any([ending.signal, deadline]),
    ...(body === undefined ? {} : { body }),
    headers: { ...(api.key === null ? {} : { authorization: `Bearer ${api.key}` }), ...type, ...request.headers },
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const text = isStream ? await firstOf(response, ending, streamMs) : await response.text();
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const operation = operationOf(request.operation.method, url.pathname);
  const faults = isStream ? [] : answerFaults(operation, response, text);
  const json =
    response.headers.get('content-type')?.startsWith('application/json') && text !== ''
      ? (JSON.parse(text) as unknown)
      : null;
  const { error } = (response.status >= 400 ? (json ?? {}) : {}) as {
    error?: { code: string; details?: Record<string, unknown> };
  };
  return {
    status: response.status,
    bytes: `${response.status}\n${head}\n\n${text}`,
    text,
    json,
    code: error?.code ?? null,
    details: error?.details ?? {},
    faults,
  };
}

async function firstOf(response: Response, ending: AbortController, streamMs: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  const timer = setTimeout(() => {
    ending.abort();
  }, streamMs);
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length > streamBytesMax) ending.abort();
    }
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return text;
}
