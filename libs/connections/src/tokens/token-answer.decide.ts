import { jsonObjectIn } from '@aos/kernel';
import { secretCharactersMax } from '../connection/connection.limits.js';

/** What a token endpoint gave. In the clear: for one process only. */
export interface GrantedTokens {
  accessToken: string;
  refreshToken: string | null;
  /** Seconds; null when it does not say. */
  expiresIn: number | null;
}

/**
 * granted  tokens.
 * refused  the error code of OAuth.
 * failed   no answer that says either.
 */
export type TokenAnswer = { granted: GrantedTokens } | { refused: string } | { failed: string };

const secondsMax = 10 * 365 * 24 * 3600;
const errorForm = /^[a-z_]{1,64}$/;

/**
 * Reads the answer of a token endpoint.
 *
 * Takes    its status and text, and the issuer that an `id_token` in it must be of; null where none is known.
 * Source   RFC 6749 section 5; rule TE26.
 */
export function tokenAnswer(status: number, text: string, issuer: string | null): TokenAnswer {
  const body = jsonObjectIn(text);
  if (status === 400 || status === 401) {
    const error = body?.error;
    if (typeof error === 'string' && errorForm.test(error)) return { refused: error };
  }
  if (status !== 200) return { failed: `status_${status}` };
  const accessToken = body && secretOf(body.access_token);
  if (!accessToken) return { failed: 'no_token' };
  if (typeof body.token_type !== 'string' || body.token_type.toLowerCase() !== 'bearer')
    return { failed: 'token_type' };
  if (issuer !== null && typeof body.id_token === 'string' && issuerOf(body.id_token) !== issuer)
    return { failed: 'issuer' };
  return {
    granted: { accessToken, refreshToken: secretOf(body.refresh_token), expiresIn: secondsOf(body.expires_in) },
  };
}

function secretOf(value: unknown): string | null {
  const fits = typeof value === 'string' && value !== '' && value.length <= secretCharactersMax;
  return fits && /^[!-~]+$/.test(value) ? value : null;
}

function secondsOf(value: unknown): number | null {
  const seconds = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 && seconds <= secondsMax ? seconds : null;
}

function issuerOf(idToken: string): unknown {
  const [, claims = ''] = idToken.split('.');
  return jsonObjectIn(Buffer.from(claims, 'base64url').toString('utf8'))?.iss;
}
