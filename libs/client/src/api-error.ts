import { typed, type JsonObject } from './json.js';
import type { ErrorCode, Guards } from './error-codes.js';

/** Codes that the client itself gives, where no answer of the service says one. */
export type ClientErrorCode = 'connection_failed' | 'timeout' | 'invalid_response';

export interface ApiErrorParts {
  code: string;
  status: number;
  message: string;
  details?: JsonObject;
  requestId?: string | null;
  retryAfterMs?: number | null;
  cause?: unknown;
}

/** What the service refused, or that no answer came (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** A code of the catalogue, or one of `ClientErrorCode`; others may come. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly status: number;
  readonly details: JsonObject;
  /** Names the request in the service's logs; null when no answer came. */
  readonly requestId: string | null;
  /** What `Retry-After` asked for. */
  readonly retryAfterMs: number | null;

  constructor({ code, status, message, details, requestId, retryAfterMs, cause }: ApiErrorParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.details = details ?? {};
    this.requestId = requestId ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
  }

  /** Whether a caught value is an error of the service, with this code where one is given. */
  static is<Code extends ErrorCode | ClientErrorCode>(
    value: unknown,
    code?: Code,
  ): value is ApiError & { readonly code: Code } {
    return value instanceof ApiError && (code === undefined || value.code === code);
  }
}

export type Guard<Code extends string> = (value: unknown) => value is ApiError & { readonly code: Code };

/** Takes codes with blanks between; gives a guard for each, under its code in camel case. */
export function guardsOf(codes: string): Guards {
  const guards = codes.split(' ').map((code) => {
    const name = code.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
    return [name, (value: unknown) => value instanceof ApiError && value.code === code];
  });
  return typed<Guards>(Object.fromEntries(guards));
}

/** The error that an answer says; one without the envelope, from something in between, is `invalid_response`. */
export function errorOf(response: Response, text: string): ApiError {
  const { status, headers } = response;
  const said = envelopeOf(text);
  return new ApiError({
    code: said?.code ?? 'invalid_response',
    status,
    message: said?.message ?? `${status} without an error of the service: ${text.slice(0, 200)}`,
    details: said?.details,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  });
}

function envelopeOf(text: string): { code: string; message: string; details?: JsonObject } | null {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; details?: JsonObject } };
    if (typeof error?.code !== 'string') return null;
    return { code: error.code, message: String(error.message ?? error.code), details: error.details };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null; // not JSON, or `null`
    throw error;
  }
}

/** Whole seconds or a date; null for what is neither. */
function retryAfterMs(text: string | null): number | null {
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
