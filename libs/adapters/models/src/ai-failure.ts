import { ModelFailure } from '@aos/kernel';

/**
 * What the packages' errors have in common; they are told apart by their fields, since each package brings a copy of
 * the classes.
 */
interface ProviderError {
  name?: string;
  message?: string;
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  isRetryable?: boolean;
  /** Of an error that came inside a stream, such as `overloaded_error`. */
  type?: string;
  code?: unknown;
  error?: { type?: string; message?: string };
}

const sentenceMax = 500;
const causesMax = 8;
const retryAfterMsMax = 3600 * 1000;
/** The request itself cannot be made: another try would end the same way. */
const ourFaults = [
  'UnsupportedFunctionality',
  'InvalidPrompt',
  'InvalidArgument',
  'LoadAPIKey',
  'LoadSetting',
  'MessageConversion',
  'NoSuchModel',
  'InvalidMessageRole',
];
const ourFault = new RegExp(`^AI_(${ourFaults.join('|')})`);
const finalStreamError =
  /invalid_request|authentication|permission|not_found|request_too_large|billing|insufficient_quota|context_length/;

/**
 * What a provider's or a package's error means for the turn.
 *
 * Takes    anything thrown; wall time for a `Retry-After` that is a date.
 * Gives    a failure with a short sentence. Retryable: 408, 409, 425, 429, 5xx, a connection that was refused or broke,
 *          a provider that says in its stream that it is overloaded. `model_unavailable` when the provider does not
 *          know the model.
 */
export function toModelFailure(error: unknown, now: number): ModelFailure {
  const own = ownFailure(error);
  if (own) return own;
  const told = typeof error === 'object' && error !== null ? (error as ProviderError) : { message: String(error) };
  const sentence = (told.message ?? told.error?.message ?? 'the provider failed').slice(0, sentenceMax);
  const cause = { cause: error };
  const { statusCode } = told;
  if (statusCode !== undefined && statusCode >= 400) {
    const retryable = [408, 409, 425, 429].includes(statusCode) || statusCode >= 500;
    const errorType = statusCode === 404 ? 'model_unavailable' : 'model_error';
    return new ModelFailure(
      `the provider answered ${statusCode}: ${sentence}`,
      retryable,
      retryable ? retryAfterMs(told.responseHeaders, now) : null,
      errorType,
      cause,
    );
  }
  if (told.name !== undefined && ourFault.test(told.name))
    return new ModelFailure(`the request cannot be made: ${sentence}`, false, null, 'model_error', cause);
  const kind = `${told.type ?? ''} ${told.error?.type ?? ''} ${typeof told.code === 'string' ? told.code : ''}`;
  return new ModelFailure(
    `the provider broke off: ${sentence}`,
    !finalStreamError.test(kind),
    null,
    'model_error',
    cause,
  );
}

/** A failure of ours that a package passes on in its own errors. */
function ownFailure(error: unknown): ModelFailure | null {
  let inner = error;
  for (let depth = 0; depth < causesMax && inner instanceof Error; depth += 1) {
    if (inner instanceof ModelFailure) return inner;
    inner = inner.cause;
  }
  return null;
}

/** Seconds, milliseconds or a date (RFC 9110, section 10.2.3); null when the provider named no time. */
function retryAfterMs(headers: Record<string, string> | undefined, now: number): number | null {
  const exact = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  const text = headers?.['retry-after'] ?? '';
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  const ms = [exact, seconds * 1000, Date.parse(text) - now].find((candidate) => Number.isFinite(candidate));
  return ms === undefined ? null : Math.min(Math.max(0, ms), retryAfterMsMax);
}
