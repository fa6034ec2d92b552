import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const shownBefore = 80;

interface Needle {
  secret: string;
  form: string;
  bytes: Buffer;
}

/** Where a secret was found. */
export interface Found {
  place: string;
  form: string;
  around: string;
}

/**
 * Looks for secrets in bytes: plain, which is also how they stand in JSON and percent-encoded, as hex, and in base64
 * wherever they begin in what was encoded.
 */
export class SecretSearch {
  private readonly needles: Needle[] = [];
  private readonly mark = `canary${randomBytes(8).toString('hex')}`;
  private made = 0;

  constructor() {
    this.add(this.mark);
  }

  /** A new secret, all of which have a part in common. `around` it stand characters that are written in many ways. */
  secret(around = ''): string {
    this.made += 1;
    return `${around}${this.mark}${this.made}${[...around].reverse().join('')}`;
  }

  /** A secret that the service or another party made. */
  add(...secrets: string[]): void {
    for (const secret of secrets) {
      if (secret.length < 8) throw new Error('too short to be looked for');
      this.needles.push(...formsOf(secret).map(([form, text]) => ({ secret, form, bytes: Buffer.from(text) })));
    }
  }

  get count(): number {
    return this.made + new Set(this.needles.map(({ secret }) => secret)).size - 1;
  }

  in(place: string, bytes: string | Buffer): Found[] {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    return this.needles.flatMap(({ form, bytes: needle }) => {
      const at = buffer.indexOf(needle);
      if (at < 0) return [];
      const around = buffer.subarray(Math.max(0, at - shownBefore), at + needle.length).toString();
      return [{ place, form, around }];
    });
  }

  /** All files of a folder and its folders. */
  inFiles(folder: string): Found[] {
    return filesOf(folder).flatMap((path) => this.in(path, readFileSync(path)));
  }
}

/** Files that hold a text; for the control that a search sees what is there. */
export function filesWith(folder: string, text: string): string[] {
  return filesOf(folder).filter((path) => readFileSync(path).includes(text));
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** In base64 a text looks otherwise by where it begins: what its neighbours share is cut off. */
function formsOf(secret: string): [string, string][] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((before): [string, string] => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return [`base64 at ${before}`, encoded.slice(before === 0 ? 0 : before + 1, -1)];
  });
  return [['plain', secret], ['hex', bytes.toString('hex')], ...base64];
}
