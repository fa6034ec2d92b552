import { AwsClient } from 'aws4fetch';
import { Agent, type Dispatcher, request as send } from 'undici';
import { Blobs, type Clock, sha256Hex, StoreRefused, StoreUnavailable } from '@aos/kernel';

export interface S3Options {
  /** Such as `https://s3.eu-central-1.amazonaws.com` or `http://127.0.0.1:7070`; the bucket stands in the path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
  /** Bounds every request. */
  clock: Clock;
  /** Longest wait for one request, its body included. */
  timeoutMs?: number;
  /** Random number in [0, 1) that spreads repeats. */
  random?: () => number;
}

const timeoutMs = 20_000;
const triesMax = 3;
const retryFirstMs = 100;
/** Far above the largest value that anything stores (8 MiB tool outputs, 10 MiB media). */
const blobBytesMax = 64 * 1024 * 1024;
const connectionsMax = 32;
const errorTextMax = 300;

interface Answer {
  status: number;
  body: Uint8Array;
}

/**
 * Blobs in a bucket of any S3-speaking store: object `<organization>/<sha-256>`.
 *
 * The store is told the digest with each write and checks it itself; a read whose bytes do not match its name is
 * refused. A write that the store acknowledged is durable. Requests are repeated up to 3 times on 5xx, 429 and broken
 * connections: all of them are idempotent.
 */
export class S3Blobs extends Blobs {
  private readonly client: AwsClient;
  private readonly agent = new Agent({ connections: connectionsMax, headersTimeout: 0, bodyTimeout: 0 });
  private readonly bucketUrl: string;

  constructor(private readonly options: S3Options) {
    super();
    if (!/^https?:\/\//.test(options.endpoint) || !URL.canParse(options.endpoint))
      throw new Error('the S3 endpoint must be an http or https URL');
    this.bucketUrl = `${options.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(options.bucket)}`;
    this.client = new AwsClient({
      accessKeyId: options.accessKey,
      secretAccessKey: options.secretKey,
      region: options.region,
      service: 's3',
      retries: 0,
    });
  }

  /**
   * Asks for the bucket, so that wrong settings are seen at boot. Rejects with `StoreUnavailable`, or with
   * `StoreRefused` for wrong keys.
   */
  async check(): Promise<void> {
    const { status } = await this.ask('HEAD', '');
    if (status === 401 || status === 403)
      throw new StoreRefused(`the S3 store answered ${status} for bucket ${this.options.bucket}`);
    if (status !== 200) throw new StoreUnavailable(`the S3 store answered ${status} for bucket ${this.options.bucket}`);
  }

  override async put(orgId: string, bytes: Uint8Array): Promise<string> {
    if (bytes.length > blobBytesMax) throw new Error(`a blob of ${bytes.length} bytes is larger than ${blobBytesMax}`);
    const digest = sha256Hex(bytes);
    const key = objectKey(orgId, digest);
    const known = await this.ask('HEAD', key);
    if (known.status === 200) return digest;
    if (known.status !== 404) throw refused('HEAD', known);
    const written = await this.ask('PUT', key, { bytes, digest });
    if (written.status !== 200 && written.status !== 201) throw refused('PUT', written);
    return digest;
  }

  override async get(orgId: string, digest: string): Promise<Uint8Array | null> {
    if (!isDigest(digest)) return null;
    const found = await this.ask('GET', objectKey(orgId, digest));
    if (found.status === 404 && !errorText(found).includes('NoSuchBucket')) return null;
    if (found.status !== 200) throw refused('GET', found);
    if (sha256Hex(found.body) !== digest)
      throw new StoreUnavailable(`the S3 store's bytes do not match their digest ${digest}`);
    return found.body;
  }

  override async remove(orgId: string, digest: string): Promise<void> {
    if (!isDigest(digest)) return;
    const answer = await this.ask('DELETE', objectKey(orgId, digest));
    const isGone = answer.status === 404 && !errorText(answer).includes('NoSuchBucket');
    if (answer.status !== 204 && answer.status !== 200 && !isGone) throw refused('DELETE', answer);
  }

  async close(): Promise<void> {
    await this.agent.close();
  }

  private async ask(
    method: 'HEAD' | 'GET' | 'PUT' | 'DELETE',
    key: string,
    content?: { bytes: Uint8Array; digest: string },
  ): Promise<Answer> {
    for (let tried = 1; ; tried += 1) {
      const outcome = await this.once(method, key, content).catch(
        (error: unknown) => new StoreUnavailable('the S3 store does not answer', { cause: error }),
      );
      const again = outcome instanceof StoreUnavailable || outcome.status >= 500 || outcome.status === 429;
      if (!again) return outcome;
      if (tried >= triesMax) throw outcome instanceof StoreUnavailable ? outcome : refused(method, outcome);
      const spread = 0.5 + (this.options.random ?? Math.random)() / 2;
      await this.options.clock.sleep(retryFirstMs * 4 ** (tried - 1) * spread);
    }
  }

  /** A signature names the time it was made: every try is signed anew. */
  private async once(
    method: 'HEAD' | 'GET' | 'PUT' | 'DELETE',
    key: string,
    content?: { bytes: Uint8Array; digest: string },
  ): Promise<Answer> {
    const signed = await this.client.sign(key === '' ? this.bucketUrl : `${this.bucketUrl}/${key}`, {
      method,
      headers: { 'x-amz-content-sha256': content?.digest ?? sha256Hex('') },
    });
    const abort = new AbortController();
    const timer = this.options.clock.after(this.options.timeoutMs ?? timeoutMs, () =>
      abort.abort(new Error('no answer in time')),
    );
    try {
      const response = await send(signed.url, {
        method,
        headers: {
          ...Object.fromEntries(signed.headers),
          ...(content ? { 'content-type': 'application/octet-stream' } : {}),
        },
        body: content?.bytes ?? null,
        dispatcher: this.agent,
        signal: abort.signal,
      });
      return { status: response.statusCode, body: await readAll(response.body) };
    } finally {
      timer.cancel();
    }
  }
}

async function readAll(body: Dispatcher.ResponseData['body']): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > blobBytesMax) throw new Error(`an object is larger than ${blobBytesMax} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks, bytes));
}

/** Names with anything but plain characters never become a path. */
function objectKey(orgId: string, digest: string): string {
  if (!/^[A-Za-z0-9_-]{1,120}$/.test(orgId)) throw new Error('not an organization id');
  return `${orgId}/${digest}`;
}

function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

function errorText({ body }: Answer): string {
  return Buffer.from(body.subarray(0, errorTextMax)).toString('utf8');
}

function refused(method: string, answer: Answer): StoreUnavailable {
  return new StoreUnavailable(`the S3 store answered ${answer.status} to ${method} ${errorText(answer)}`.trimEnd());
}
