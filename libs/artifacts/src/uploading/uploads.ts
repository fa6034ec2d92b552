import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, Refusal, idPart, messageOf, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, Settings, actorOf, type Actor } from '@aos/platform';
import type { ArtifactRecord, Piece } from '../artifact/artifact.events.js';
import { requireNotDeleted } from '../artifact/artifact.decide.js';
import { nonceBytes } from '../artifact/artifact.limits.js';
import { artifactKind, type ArtifactState } from '../artifact/artifact.state.js';
import { artifactDecider } from '../artifact.decider.js';
import { quotaDecider } from '../quota.decider.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { PieceWriter } from '../storing/piece-writer.js';
import type { UploadFields } from './form-fields.js';
import { BrokenOff, readForm, type ReceivedForm } from './multipart.js';
import { PaceGuard } from './pace-guard.js';
import { UploadSlots } from './upload-slots.js';

/** The body of an upload as it comes. */
export interface UploadBody {
  stream: Readable;
  headers: IncomingHttpHeaders;
}

/** What is uploaded, and what becomes of it. */
export interface Upload {
  who: Identity;
  /** The same for every upload under one key. */
  artifactId: string;
  body: UploadBody;
  fields(form: ReceivedForm): UploadFields;
  /** The record of a file that was received. */
  record(fields: UploadFields, received: Received): ArtifactRecord;
}

export interface Received {
  bytes: number;
  sha256: string;
  at: string;
  /** The first bytes of the file. */
  head: Buffer;
}

export interface Uploaded {
  state: ArtifactState;
  record: ArtifactRecord;
  /** False: another upload under the same key had stored it. */
  isNew: boolean;
}

const headBytes = 1024;

interface Running {
  id: string;
  actor: Actor;
  upload: Upload;
  isBegun: boolean;
  /** Whether bytes were taken from the quota. */
  isReserved: boolean;
}

/** Receives files: bytes from the quota, then pieces that are named before they are put, then the artifact. */
@Injectable()
export class Uploads {
  private readonly log = new Logger('artifacts');

  constructor(
    private readonly decisions: Decisions,
    private readonly bytes: ArtifactBytes,
    private readonly cleanup: ArtifactCleanup,
    private readonly slots: UploadSlots,
    private readonly clock: Clock,
    private readonly ids: Ids,
    @Inject(Settings) private readonly settings: Pick<Settings, 'artifactBytesMax' | 'artifactQuotaBytes'>,
  ) {}

  /**
   * Gives    the artifact, once all of it is durable.
   * Refuses  what `readForm` and `uploadFields` refuse; plan_limit_exceeded; conflict {reason: deleted};
   *          idempotency_conflict for other content under a key; service_unavailable when no slot is free for 60 s;
   *          artifact_storage_unavailable; request_timeout for an upload that is too slow or too long. Nothing is left
   *          of it then.
   * Source   rules TE2, TE3, TE4, TE5.
   */
  async receive(upload: Upload): Promise<Uploaded> {
    const { who, artifactId, body } = upload;
    const { state } = await this.decisions.load(artifactKind, idPart(artifactId));
    requireNotDeleted(state);
    const left = new AbortController();
    body.stream.once('close', () => {
      left.abort();
    });
    const free = await this.slots.take(who.orgId, left.signal);
    try {
      return state.record
        ? await this.compare(upload, state, state.record)
        : await this.keep({ id: this.ids.ulid(), actor: actorOf(who), upload, isBegun: false, isReserved: false });
    } finally {
      free();
    }
  }

  /** A repeat of an upload that is there: it is read and digested, and not kept. */
  private async compare(upload: Upload, state: ArtifactState, record: ArtifactRecord): Promise<Uploaded> {
    const writer = new PieceWriter(() => this.ids.randomBytes(nonceBytes), 0, null);
    const { wanted } = await this.read(upload, writer, () => Promise.resolve());
    requireSame(record, wanted);
    return { state, record, isNew: false };
  }

  private async keep(running: Running): Promise<Uploaded> {
    const { upload } = running;
    const expected = this.expectedBytes(upload.body.headers);
    const writer = new PieceWriter(
      () => this.ids.randomBytes(nonceBytes),
      expected,
      (piece, bytes) => this.keepPiece(running, piece, bytes),
    );
    try {
      const { wanted } = await this.read(upload, writer, () => this.reserve(running, expected));
      await writer.end();
      return await this.store(running, wanted);
    } catch (error) {
      await writer.stop();
      await this.giveUp(running, error).catch((fault: unknown) => {
        this.log.warn(`${upload.artifactId}: left to its timer: ${messageOf(fault)}`);
      });
      throw error;
    }
  }

  private async giveUp({ id, actor, upload, isBegun, isReserved }: Running, error: unknown): Promise<void> {
    const reason = error instanceof BrokenOff ? 'broken_off' : 'refused';
    if (isBegun) await this.cleanup.abandon(upload.who.orgId, upload.artifactId, id, reason);
    else if (isReserved) await this.cleanup.release(actor, id, null);
  }

  /** Reads the body, and what the record would be. `first` comes before the first byte of the file is kept. */
  private async read(
    upload: Upload,
    writer: PieceWriter,
    first: () => Promise<void>,
  ): Promise<{ wanted: ArtifactRecord }> {
    const { stream, headers } = upload.body;
    const head: Buffer[] = [];
    const pace = new PaceGuard(stream, this.clock);
    let hasBegun = false;
    try {
      const form = await pace.within(
        readForm(stream, headers, { fileBytesMax: this.settings.artifactBytesMax }, (chunk) =>
          pace.ownWork(async () => {
            if (!hasBegun) await first();
            hasBegun = true;
            if (writer.bytes < headBytes) head.push(chunk.subarray(0, headBytes));
            await writer.take(chunk);
          }),
        ),
      );
      const fields = upload.fields(form);
      if (fields.sizeBytes !== null && fields.sizeBytes !== writer.bytes)
        throw new Refusal(
          'bad_request',
          { issues: [{ path: '/size_bytes', message: `${writer.bytes} bytes came` }] },
          '/size_bytes: unlike what came',
        );
      if (!hasBegun) await first();
      const received = { bytes: writer.bytes, sha256: writer.sha256(), at: rfc3339(this.clock.now()) };
      return { wanted: upload.record(fields, { ...received, head: Buffer.concat(head) }) };
    } finally {
      pace.end();
    }
  }

  /** The whole body as its header says, which the file is a part of; without one the bound of a file (rule TE4). */
  private expectedBytes({ 'content-length': length }: IncomingHttpHeaders): number {
    const { artifactBytesMax } = this.settings;
    return length === undefined ? artifactBytesMax : Math.min(Number(length), artifactBytesMax);
  }

  private async reserve(running: Running, bytes: number): Promise<void> {
    const { id: uploadId, actor, upload } = running;
    const { who, artifactId } = upload;
    await this.decisions.decide(quotaDecider.reserveBytes, idPart(who.orgId), actor, {
      orgId: who.orgId,
      uploadId,
      artifactId,
      bytes,
      limitBytes: this.settings.artifactQuotaBytes,
      at: rfc3339(this.clock.now()),
    });
    running.isReserved = true;
  }

  private async keepPiece(running: Running, piece: Piece, bytes: Uint8Array): Promise<void> {
    const { id: uploadId, actor, upload, isBegun } = running;
    const part = idPart(upload.artifactId);
    if (isBegun) await this.decisions.decide(artifactDecider.namePiece, part, actor, { uploadId, piece });
    else await this.begin(running, piece);
    await this.bytes.put(upload.who.orgId, bytes);
  }

  private async begin(running: Running, piece: Piece | null): Promise<void> {
    const { id, actor, upload } = running;
    const { who, artifactId } = upload;
    const opening = { id, artifact_id: artifactId, org_id: who.orgId, begun_at: rfc3339(this.clock.now()) };
    running.isBegun = true; // from here on it may be in the log
    await this.decisions.decide(artifactDecider.beginUpload, idPart(artifactId), actor, { upload: opening, piece });
  }

  private async store(running: Running, wanted: ArtifactRecord): Promise<Uploaded> {
    const { id: uploadId, actor, upload } = running;
    if (!running.isBegun) await this.begin(running, null);
    const command = { uploadId, artifact: wanted };
    const { state, events } = await this.decisions.decide(
      artifactDecider.storeArtifact,
      idPart(upload.artifactId),
      actor,
      command,
    );
    const { record } = state;
    if (!record) throw new Error(`${upload.artifactId} was stored and is not there`);
    if (events.some(({ type }) => type === 'ArtifactStored')) {
      await this.cleanup.settle(actor, state, uploadId);
      return { state, record, isNew: true };
    }
    await this.cleanup.abandon(upload.who.orgId, upload.artifactId, uploadId, 'stored_before');
    requireSame(record, wanted);
    return { state, record, isNew: false };
  }
}

/** Rule TE5: a key stands for one name and content. */
function requireSame(record: ArtifactRecord, wanted: ArtifactRecord): void {
  if (record.sha256 === wanted.sha256 && record.name === wanted.name) return;
  throw new Refusal('idempotency_conflict', {}, 'the key was used for other content');
}
