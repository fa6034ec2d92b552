import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { StoreUnavailable } from '@aos/kernel';
import { storedUpload, type ArtifactState } from '../artifact/artifact.state.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { disposition, rangeOf } from './content-range.js';

/** What answers a read of the bytes. */
export interface ContentAnswer {
  status: 200 | 206 | 416;
  headers: Readonly<Record<string, string>>;
  /** Null: no body. */
  body: Readable | null;
}

export interface WantedContent {
  /** The header `Range`. */
  range: string | undefined;
  /** The header `If-Range`: a range of other bytes than these is not given. */
  ifRange: string | undefined;
  /** Only the headers are asked for. */
  isHead: boolean;
}

/** No page of ours runs what is served here (rule TE6). */
const fixedHeaders = {
  'content-type': 'application/octet-stream',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'accept-ranges': 'bytes',
};

/** Bytes of artifacts as they are served. */
@Injectable()
export class ArtifactContents {
  constructor(private readonly bytes: ArtifactBytes) {}

  /**
   * Takes    an artifact that is there and was judged; what is wanted of it.
   * Gives    status, headers, and the bytes as they are read.
   * Refuses  artifact_storage_unavailable, before anything was answered.
   * Source   rule TE6.
   */
  async answer(state: ArtifactState, { range, ifRange, isHead }: WantedContent): Promise<ContentAnswer> {
    const { record } = state;
    const upload = storedUpload(state);
    if (!record || !upload) throw new StoreUnavailable('an artifact without its upload');
    const size = record.size_bytes;
    const etag = `"${record.sha256}"`;
    const headers = { ...fixedHeaders, etag, 'content-disposition': disposition(record.name) };
    const wanted = ifRange === undefined || ifRange.trim() === etag ? rangeOf(range, size) : null;
    if (wanted === 'none')
      return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: null };
    const { from, to } = wanted ?? { from: 0, to: size - 1 };
    const sent = { ...headers, 'content-length': String(to - from + 1) };
    const answer: Pick<ContentAnswer, 'status' | 'headers'> = wanted
      ? { status: 206, headers: { ...sent, 'content-range': `bytes ${from}-${to}/${size}` } }
      : { status: 200, headers: sent };
    if (isHead || size === 0) return { ...answer, body: null };
    return { ...answer, body: await this.begun(record.org_id, upload.pieces, { from, to }) };
  }

  /** The first piece is read before the answer begins, so that a store that is away can be said. */
  private async begun(
    orgId: string,
    pieces: Parameters<ArtifactBytes['read']>[1],
    range: Parameters<ArtifactBytes['read']>[2],
  ): Promise<Readable> {
    const reading = this.bytes.read(orgId, pieces, range);
    const first = await reading.next();
    async function* all(): AsyncGenerator<Buffer> {
      if (!first.done) yield first.value;
      yield* reading;
    }
    return Readable.from(all(), { objectMode: false });
  }
}
