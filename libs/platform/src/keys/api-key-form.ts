import { randomInt } from 'node:crypto';
import { hash32 } from '@aos/kernel';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyPrefix = 'svck_';
const secretLength = 40;
const displayLength = 8;
const issuedForm = /^svck_[0-9A-Za-z]{40}$/;
const anyForm = /^[\x21-\x7e]{32,200}$/;

/** A new secret: `svck_` and 40 base62 characters, 238 random bits (rule A1). */
export function newApiKey(): string {
  let secret = keyPrefix;
  for (let index = 0; index < secretLength; index += 1) secret += alphabet[randomInt(alphabet.length)] ?? '';
  return secret;
}

/** The form of a key that this service issues. */
export function isIssuedApiKeyForm(key: string): boolean {
  return issuedForm.test(key);
}

/**
 * A text that can be a key at all: an issued one, or a bootstrap key of 32 to 200 printable characters. Anything else
 * is refused without a look-up.
 */
export function isApiKeyForm(key: string): boolean {
  return anyForm.test(key);
}

/**
 * `cred_` and the base-32 SHA-256 of the key: the id of the key and the name of its stream. The key itself is stored
 * nowhere.
 */
export function apiKeyId(key: string): string {
  return `cred_${hash32(`svc api key v1:${key}`, 51)}`;
}

/** What people see of a key (rule A1). */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, displayLength);
}
