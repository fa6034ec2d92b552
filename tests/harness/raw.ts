import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Client } from './client.js';

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  text: string;
}

export interface RawCall {
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Address of this machine that the connection comes from. */
  from?: string;
}

/** Sends exactly these headers and bytes, without what `fetch` adds, and gives the bytes that came back. */
export function rawRequest(
  api: Client,
  method: string,
  path: string,
  { headers = {}, body, from }: RawCall = {},
): Promise<RawAnswer> {
  const url = new URL(api.baseUrl + path);
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method,
        headers: { ...(api.key === null ? {} : { authorization: `Bearer ${api.key}` }), ...headers },
        agent: false,
        ...(from === undefined ? {} : { localAddress: from, family: 4 }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes, text: bytes.toString() });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
