import { randomUUID } from 'node:crypto';
import { HttpException } from '@nestjs/common';
import { Refusal, StoreUnavailable, refusalStatus } from '@aos/kernel';
import type { JsonObject, RefusalCode } from '@aos/kernel';

/** Seconds that clients wait before they ask a service again whose stores do not answer. */
const unavailableRetrySeconds = 2;
const requestId = /^[A-Za-z0-9._-]{1,128}$/;

/** A refusal that also says something in headers. */
export class RefusalWithHeaders extends Refusal {
  constructor(
    code: RefusalCode,
    readonly headers: Readonly<Record<string, string>>,
    details: JsonObject = {},
    message?: string,
  ) {
    super(code, details, message);
  }
}

/** An answer in the one shape of errors (rule G14). */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: RefusalCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** True for an unforeseen fault: it is logged, and the client gets no details. */
  readonly isUnexpected: boolean;
}

export function envelope(code: RefusalCode, message: string, details: JsonObject = {}): string {
  const isEmpty = Object.keys(details).length === 0;
  return JSON.stringify({ error: isEmpty ? { code, message } : { code, message, details } });
}

/** Works out the answer for anything that can be thrown on the way of a request. */
export function answerFor(error: unknown, bodyBytesMax: number): ErrorAnswer {
  if (error instanceof Refusal) {
    const headers = error instanceof RefusalWithHeaders ? error.headers : error.status === 503 ? retryLater : none;
    return {
      status: error.status,
      code: error.code,
      headers,
      body: envelope(error.code, error.message, error.details),
      isUnexpected: error.status === 500,
    };
  }
  if (error instanceof StoreUnavailable)
    return plain('service_unavailable', 'a dependency does not answer, try again', retryLater);
  const fastifyCode = (error as { code?: unknown } | null)?.code;
  if (fastifyCode === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(bodyBytesMax);
  if (fastifyCode === 'FST_ERR_MAX_PARAM_LENGTH' || fastifyCode === 'FST_ERR_NOT_FOUND')
    return plain('not_found', 'no such resource');
  const code = codeOfStatus(statusOf(error));
  if (code) return plain(code, code.replaceAll('_', ' '));
  return { ...plain('internal_error', 'something went wrong; the request id names the log line'), isUnexpected: true };
}

const none: Readonly<Record<string, string>> = {};
const retryLater = { 'retry-after': String(unavailableRetrySeconds) };

export function plain(
  code: RefusalCode,
  message: string,
  headers: Readonly<Record<string, string>> = none,
): ErrorAnswer {
  return { status: refusalStatus[code], code, headers, body: envelope(code, message), isUnexpected: false };
}

function tooLarge(limitBytes: number): ErrorAnswer {
  return {
    ...plain('payload_too_large', ''),
    body: envelope('payload_too_large', `the body is over ${limitBytes} bytes`, { limit_bytes: limitBytes }),
  };
}

/** Only what a framework refused before our code ran has such a status; an error of ours without one is unexpected. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { name, statusCode } = (error ?? {}) as { name?: unknown; statusCode?: unknown };
  return name === 'FastifyError' && typeof statusCode === 'number' ? statusCode : 500;
}

function codeOfStatus(status: number): RefusalCode | null {
  switch (status) {
    case 400:
      return 'bad_request';
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
    case 414:
      return 'not_found';
    case 405:
      return 'method_not_allowed';
    case 408:
      return 'request_timeout';
    case 413:
      return 'payload_too_large';
    case 415:
      return 'unsupported_media_type';
    case 429:
      return 'rate_limit_exceeded';
    case 431:
      return 'headers_too_large';
    case 503:
      return 'service_unavailable';
    default:
      return null;
  }
}

/** Keeps a caller's request id when it has the form, else makes one (rule G12). */
export function requestIdFrom(given: string | string[] | undefined): string {
  return typeof given === 'string' && requestId.test(given) ? given : `req_${randomUUID().replaceAll('-', '')}`;
}
