import { randomBytes } from 'node:crypto';
import { type Answer, type Client, answerFaults } from './client.js';
import { operationOf } from './contract.js';
import type { ErrorBody } from './wire.js';

export interface Artifact {
  id: string;
  owner: { kind: string; id: string | null };
  visibility: string;
  posture: string;
  container: { kind: string; id: string } | null;
  name: string;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  session_id?: string;
  metadata?: Record<string, unknown>;
  conversion?: { state: string; error?: string };
}

/** A field of a form: text, or the file. */
export type FormField = readonly [name: string, value: string | Uint8Array, filename?: string];

export interface FormCall {
  path?: string;
  headers?: Record<string, string>;
}

const answerMs = 60_000;

/** The bytes of a form, its fields in the order given, and its content type. */
export function formOf(fields: readonly FormField[]): { body: Buffer; type: string } {
  const boundary = `form${randomBytes(12).toString('hex')}`;
  const parts = fields.flatMap(([name, value, filename]) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n${
        typeof value === 'string' ? '' : 'Content-Type: application/octet-stream\r\n'
      }\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

/** Sends a form; the answer is held to the contract. */
export async function sendForm(
  client: Client,
  fields: readonly FormField[],
  { path = '/v1/artifacts', headers = {} }: FormCall = {},
): Promise<Answer<unknown>> {
  const { body, type } = formOf(fields);
  const response = await fetch(client.url(path), {
    method: 'POST',
    headers: client.headers({ 'content-type': type, ...headers }),
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(answerMs),
  });
  const text = await response.text();
  const faults = answerFaults(operationOf('POST', path), response, text);
  if (faults.length > 0)
    throw new Error(`the answer to POST ${path} breaks the contract:\n${faults.join('\n')}\n${text.slice(0, 2000)}`);
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as unknown };
}

/** Uploads a file that must be stored. */
export async function upload(
  client: Client,
  bytes: Uint8Array | string,
  { name = 'file.bin', ...call }: FormCall & { name?: string } = {},
): Promise<Artifact> {
  const answer = await sendForm(
    client,
    [
      ['name', name],
      ['file', Buffer.from(bytes), name],
    ],
    call,
  );
  if (answer.status !== 201) throw new Error(`POST ${call.path ?? '/v1/artifacts'}: ${answer.status} ${answer.text}`);
  return answer.body as Artifact;
}

/** Sends a form that must be refused with this code; gives the details. */
export async function formRefused(
  code: string,
  client: Client,
  fields: readonly FormField[],
  call: FormCall = {},
): Promise<Record<string, unknown>> {
  const answer = await sendForm(client, fields, call);
  const { error } = answer.body as Partial<ErrorBody>;
  if (error?.code !== code) throw new Error(`${answer.status} ${answer.text} instead of ${code}`);
  return error.details ?? {};
}
