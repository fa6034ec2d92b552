import { isNestedTooDeep, wellFormed, withoutBlanks, type Json } from '@aos/kernel';
import { secretCharactersMin } from '../connection/connection.limits.js';

const redacted = '[redacted]';
/** Levels of JSON that are walked, more than any reader takes; what is nested deeper is filtered as text. */
const levelsMax = 1_000;

/**
 * Takes secrets out of what an endpoint answers: each occurrence, plain, in base64 or percent-encoded, in text and in
 * each string of parsed JSON. It is there for endpoints that echo by mistake (rule TE22).
 */
export class EchoFilter {
  /** Longest first, so that a secret inside another one does not cut it. */
  private readonly forms: readonly string[];

  constructor(secrets: readonly string[]) {
    this.forms = [...new Set(secrets.flatMap(formsOf))].sort((one, other) => other.length - one.length);
  }

  /** A whole reply, or lines of JSON: unchanged bytes when nothing is in them. */
  body(bytes: Uint8Array): Uint8Array {
    const text = Buffer.from(bytes).toString('utf8');
    const filtered = this.document(text);
    return filtered === text ? bytes : Buffer.from(filtered);
  }

  value<Value extends Json>(value: Value): Value {
    return this.walked(value) as Value;
  }

  private document(text: string): string {
    if (!text.includes('\\') && this.text(text) === text) return text;
    const whole = parsed(text);
    if (whole !== undefined) return this.json(text, whole);
    return text
      .split('\n')
      .map((line) => {
        const value = parsed(line);
        return value === undefined ? this.text(line) : this.json(line, value);
      })
      .join('\n');
  }

  /** The text as it is unless a string in it changes: numbers and form stay as they came. */
  private json(text: string, value: Json): string {
    const before = JSON.stringify(value);
    const after = JSON.stringify(this.walked(value));
    return before === after ? this.text(text) : after;
  }

  private walked(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.number(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.walked(each));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [this.text(name), this.walked(each)]));
  }

  /** A secret of digits may come back as a number. */
  private number(value: number): Json {
    const text = String(value);
    const filtered = this.text(text);
    return filtered === text ? value : filtered;
  }

  private text(text: string): string {
    return this.forms.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, redacted) : rest), text);
  }
}

/** Any JSON, also what no reader takes: a secret may stand in it all the same. */
function parsed(text: string): Json | undefined {
  if (isNestedTooDeep(Buffer.from(text), levelsMax)) return undefined; // before it is built
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A secret as it may come back. */
function formsOf(secret: string): string[] {
  return received(secret).flatMap((text) => {
    const base64 = Buffer.from(text).toString('base64');
    const bare = base64.replace(/=+$/, '');
    const url = bare.replaceAll('+', '-').replaceAll('/', '_');
    return [text, ...escaped(text), base64, bare, url, ...percentEncoded(text)];
  });
}

/**
 * A header value as an endpoint reads it: HTTP strips blanks around it, and many servers take each of its bytes for a
 * character. What is too short for a secret is left out: it stands in answers by chance, and taking it out would leave
 * nothing of them.
 */
function received(secret: string): string[] {
  const stripped = withoutBlanks(secret);
  const texts = [secret, stripped].flatMap((text) => [text, Buffer.from(text).toString('latin1')]);
  return [...new Set(texts)].filter((text) => text.length >= secretCharactersMin && withoutBlanks(text) !== '');
}

/** As JSON has it that stands inside a string or a text. */
function escaped(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [json, ascii, json.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')];
}

function percentEncoded(text: string): string[] {
  const percent = encodeURIComponent(wellFormed(text));
  const strict = percent.replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const every = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  const encoded = [percent, strict, strict.replaceAll('%20', '+'), every];
  return [...encoded, ...encoded.map(lowerHex)];
}

function lowerHex(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase());
}
