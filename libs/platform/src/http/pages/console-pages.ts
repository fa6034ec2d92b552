import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pageHeaders } from './page-policy.js';
import { noncePlaceholder, readConsoleBuild, type ConsoleAsset, type ConsoleBuild } from './console-build.js';

const nonceBytes = 16;
const compressed = promisify(gzip);
const levelMost = 9;

/** The page of one answer. */
export interface ConsolePage {
  html: string;
  headers: Record<string, string>;
}

/** The console of this process. Its build is read with the first request, because many processes never get one. */
export class ConsolePages {
  private build: ConsoleBuild | null = null;
  /** Compressed once each; as many as the build has files. */
  private readonly small = new Map<string, Promise<Buffer>>();

  /** Takes the folder of the build. */
  constructor(private readonly folder: string) {}

  /** The same page for every path, with a nonce of its own (rule CO3). */
  page(): ConsolePage {
    const { html, scripts, trustedTypes } = this.read();
    const nonce = randomBytes(nonceBytes).toString('base64');
    return {
      html: html.replaceAll(noncePlaceholder, nonce),
      ...pageHeaders({
        scripts,
        scriptsMayLoadOthers: true,
        styles: `'nonce-${nonce}'`,
        images: "'self' data:", // the editor draws its marks from data
        fonts: "'self'",
        trustedTypes,
        cacheControl: 'no-store',
      }),
    };
  }

  /** Takes a path under `/console/`. Gives the file; null for a path that the build does not name. */
  asset(path: string): ConsoleAsset | null {
    return this.read().assets.get(path) ?? null;
  }

  /** The file of the path, compressed with gzip. */
  gzipOf(path: string, { content }: ConsoleAsset): Promise<Buffer> {
    let small = this.small.get(path);
    if (!small) this.small.set(path, (small = compressed(content, { level: levelMost })));
    return small;
  }

  private read(): ConsoleBuild {
    this.build ??= readConsoleBuild(this.folder);
    return this.build;
  }
}
