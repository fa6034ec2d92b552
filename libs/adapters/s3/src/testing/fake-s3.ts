import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256Hex } from '@aos/kernel';

export const fakeS3Keys = {
  region: 'eu-test-1',
  accessKey: 'AKTEST',
  secretKey: 'secret-of-the-test',
  bucket: 'blobs',
};

/** Speaks the five requests that blobs need, and checks each signature by working it out itself. */
export class FakeS3 {
  readonly objects = new Map<string, Buffer>();
  readonly seen: { method: string; path: string; status: number }[] = [];
  /** Answers to give before the real ones: a status, or `cut` to break the connection, or `hang`. */
  readonly trouble: (number | 'cut' | 'hang')[] = [];
  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeS3> {
    const server = createServer((request, response) => {
      void fake.serve(request, response);
    });
    const fake = new FakeS3(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const method = request.method ?? '';
    const path = request.url ?? '';
    const trouble = this.trouble.shift();
    if (trouble === 'hang') return;
    if (trouble === 'cut') {
      request.socket.destroy();
      return;
    }
    const [status, content] = trouble
      ? ([trouble, 'SlowDown'] as const)
      : this.answer(method, path, body, request.headers);
    this.seen.push({ method, path, status });
    response.writeHead(status, status === 204 ? {} : { 'content-length': Buffer.byteLength(content) });
    response.end(method === 'HEAD' ? undefined : content);
  }

  private answer(
    method: string,
    path: string,
    body: Buffer,
    headers: IncomingMessage['headers'],
  ): readonly [number, Buffer | string] {
    if (headers.authorization !== signatureOf(method, path, headers)) return [403, 'SignatureDoesNotMatch'];
    if (headers['x-amz-content-sha256'] !== sha256Hex(body)) return [400, 'XAmzContentSHA256Mismatch'];
    if (path === `/${fakeS3Keys.bucket}`) return [200, ''];
    if (!path.startsWith(`/${fakeS3Keys.bucket}/`)) return [404, '<Code>NoSuchBucket</Code>'];
    if (method === 'PUT') {
      this.objects.set(path, body);
      return [200, ''];
    }
    if (method === 'DELETE') {
      this.objects.delete(path);
      return [204, ''];
    }
    const found = this.objects.get(path);
    return found ? [200, found] : [404, '<Code>NoSuchKey</Code>'];
  }
}

/** AWS signature version 4, from its description. */
function signatureOf(method: string, path: string, headers: IncomingMessage['headers']): string {
  const stamp = String(headers['x-amz-date']);
  const scope = `${stamp.slice(0, 8)}/${fakeS3Keys.region}/s3/aws4_request`;
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const canonical = [
    method,
    path,
    '',
    ...signed.split(';').map((name) => `${name}:${String(headers[name])}`),
    '',
    signed,
    String(headers['x-amz-content-sha256']),
  ].join('\n');
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = ['s3', 'aws4_request'].reduce(
    mac,
    mac(mac(`AWS4${fakeS3Keys.secretKey}`, stamp.slice(0, 8)), fakeS3Keys.region),
  );
  const signature = mac(key, ['AWS4-HMAC-SHA256', stamp, scope, sha256Hex(canonical)].join('\n')).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${fakeS3Keys.accessKey}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}
