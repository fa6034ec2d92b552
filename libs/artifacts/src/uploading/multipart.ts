import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import { Refusal, badRequest, messageOf } from '@aos/kernel';
import { fieldBytesMax } from '../artifact/artifact.limits.js';

type Parser = InstanceType<typeof Busboy>;

const fieldsMax = 20;
const fieldNameBytesMax = 100;
const headerBytesMax = 8 * 1024;
/** Boundaries and headers of parts. */
const overheadBytesMax = 64 * 1024;

/** What a form said, its file apart. */
export interface ReceivedForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly filename: string | null;
  /** Type of the part that held the file. */
  readonly partType: string | null;
}

export interface FormBounds {
  /** Bytes of the file. */
  fileBytesMax: number;
  /** Where the fields are put as they come. */
  fields: Map<string, string>;
}

/**
 * Reads a form whose fields come in any order, and gives its file on as it comes: the sender is held back while `take`
 * is busy (rule TE2).
 *
 * Takes    the body and its headers, the bound of the file, and what takes a piece of the file.
 * Gives    the fields, once all was read.
 * Refuses  bad_request for what is no form, has no file or two, or a field twice; payload_too_large {limit_bytes} for a
 *          file over its bound and for other fields over 128 KiB; what `take` throws. The body is left unread then.
 */
export function readForm(
  body: Readable,
  headers: IncomingHttpHeaders,
  { fileBytesMax, fields }: FormBounds,
  take: (chunk: Buffer) => Promise<void>,
): Promise<ReceivedForm> {
  return new FormReading(body, headers, fileBytesMax, fields, take).whole();
}

class FormReading {
  private filename: string | null = null;
  private partType: string | null = null;
  private hasFile = false;
  private fieldBytes = 0;
  private bytes = 0;
  private file: Promise<void> = Promise.resolve();

  constructor(
    private readonly body: Readable,
    private readonly headers: IncomingHttpHeaders,
    private readonly fileBytesMax: number,
    private readonly fields: Map<string, string>,
    private readonly take: (chunk: Buffer) => Promise<void>,
  ) {}

  async whole(): Promise<ReceivedForm> {
    const parser = this.parser();
    const { body } = this;
    await new Promise<void>((over, refuse) => {
      const fail = (error: unknown) => {
        body.unpipe(parser);
        body.off('data', count);
        refuse(error as Error);
      };
      const count = (chunk: Buffer) => {
        this.bytes += chunk.length;
        if (this.bytes > this.fileBytesMax + fieldBytesMax + overheadBytesMax) fail(tooLarge(this.fileBytesMax));
      };
      parser.on('file', (_name, stream, filename, _encoding, type) => {
        this.hasFile = true;
        this.filename = typeof filename === 'string' && filename !== '' ? filename : null;
        this.partType = typeof type === 'string' ? type : null;
        this.file = this.readFile(stream);
        this.file.catch(fail);
      });
      parser.on('field', (name, value, _nameTruncated, isTruncated) => {
        this.fieldBytes += Buffer.byteLength(value);
        if (isTruncated || this.fieldBytes > fieldBytesMax) return fail(fieldsTooLarge());
        if (this.fields.has(name)) return fail(malformed(`/${name}`, 'is there twice'));
        this.fields.set(name, value);
      });
      parser.on('partsLimit', () => {
        fail(malformed('', `at most ${fieldsMax} fields`));
      });
      parser.on('fieldsLimit', () => {
        fail(malformed('', `at most ${fieldsMax} fields`));
      });
      parser.on('filesLimit', () => {
        fail(malformed('/file', 'is there twice'));
      });
      parser.on('error', (error: unknown) => {
        fail(malformed('', messageOf(error)));
      });
      parser.on('finish', () => {
        this.file.then(over, fail);
      });
      body.once('error', fail).once('close', () => {
        if (!body.readableEnded) fail(new BrokenOff());
      });
      body.on('data', count);
      body.pipe(parser);
    });
    if (!this.hasFile) throw malformed('/file', 'is required');
    return { fields: this.fields, filename: this.filename, partType: this.partType };
  }

  private parser(): Parser {
    try {
      return new Busboy({
        headers: this.headers as BusboyHeaders,
        isPartAFile: (name) => name === 'file',
        limits: {
          fieldNameSize: fieldNameBytesMax,
          fieldSize: fieldBytesMax,
          fields: fieldsMax,
          files: 1,
          parts: fieldsMax + 1,
          fileSize: this.fileBytesMax,
          headerSize: headerBytesMax,
          headerPairs: 20,
        },
      });
    } catch (error) {
      throw malformed('', messageOf(error));
    }
  }

  private async readFile(stream: BusboyFileStream): Promise<void> {
    for await (const chunk of stream as AsyncIterable<Buffer>) await this.take(chunk);
    if (stream.truncated) throw tooLarge(this.fileBytesMax);
  }
}

/** The sender left in the middle: nothing can be answered. */
export class BrokenOff extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('the upload was broken off');
    this.name = 'BrokenOff';
  }
}

export function tooLarge(limitBytes: number): Refusal {
  return new Refusal('payload_too_large', { limit_bytes: limitBytes }, `the file is over ${limitBytes} bytes`);
}

function fieldsTooLarge(): Refusal {
  return new Refusal(
    'payload_too_large',
    { limit_bytes: fieldBytesMax },
    `the fields beside the file are over ${fieldBytesMax} bytes`,
  );
}

export function malformed(path: string, message: string): Refusal {
  return badRequest([{ path, message }]);
}
