import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, Refusal, idPart, messageOf, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, Settings, actorOf, type Actor } from '@aos/platform';
import type { ArtifactRecord, Piece } from '../artifact/artifact.events.js';
import { requireNotDeleted } from '../artifact/artifact.decide.js';
import type { ReceivedBytes } from '../artifact/new-artifact.js';
import { nonceBytes } from '../artifact/artifact.limits.js';
import { artifactKind, type ArtifactState } from '../artifact/artifact.state.js';
import { artifactDecider } from '../artifact.decider.js';
import { quotaDecider } from '../quota.decider.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { PieceWriter } from '../storing/piece-writer.js';
import type { UploadFields } from './form-fields.js';
import { BrokenOff, malformed, readForm, type ReceivedForm } from './multipart.js';
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
  /** The same for every upload under one key. A function gives it by the field `name`, which is in the form. */
  artifactId: string | ((name: string) => string);
  body: UploadBody;
  fields(form: ReceivedForm): UploadFields;
  /** The record of a file that was received, under this id. */
  record(fields: UploadFields, received: Received, artifactId: string): ArtifactRecord;
  /** Refuses a file that is not the one that is there; absent: as rule TE5 says of keys. */
  requireSame?: (record: ArtifactRecord, wanted: ArtifactRecord) => void;
  /** Refuses once more, when all came and before it is stored. */
  confirm?: () => Promise<void>;
}

/** A small file that is whole in memory. */
export interface SmallFile {
  who: Identity;
  artifactId: string;
  bytes: Buffer;
  record(received: ReceivedBytes): ArtifactRecord;
}

export interface Received extends ReceivedBytes {
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

/** Fills the writer, and gives the record of what it wrote. `first` comes before the first byte is kept. */
type Produce = (writer: PieceWriter, first: () => Promise<void>) => Promise<ArtifactRecord>;
type RequireSame = NonNullable<Upload['requireSame']>;

interface Running {
  id: string;
  actor: Actor;
  who: Identity;
  /** Null until the name is known. */
  artifactId: string | null;
  idOf: () => string;
  expectedBytes: number;
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
   *          artifact_storage_unavailable; request_timeout for an upload that is too slow or too long; bad_request for
   *          a large file before the name that its id follows from. Nothing is left of it then.
   * Source   rules TE2, TE3, TE4, TE5.
   */
  async receive(upload: Upload): Promise<Uploaded> {
    const { who, artifactId, body, requireSame = requireSameContent } = upload;
    const known = typeof artifactId === 'string' ? await this.known(artifactId) : null;
    const left = new AbortController();
    body.stream.once('close', () => {
      left.abort();
    });
    const free = await this.slots.take(who.orgId, left.signal);
    try {
      const form = new Map<string, string>();
      if (typeof artifactId === 'string' && known?.record)
        return await this.compare(known, (writer) => this.read(upload, form, writer, () => artifactId), requireSame);
      const running = this.running(who, artifactId, form, this.expectedBytes(body.headers));
      const produce: Produce = (writer, first) => this.read(upload, form, writer, running.idOf, first);
      return await this.keep(running, produce, requireSame);
    } finally {
      free();
    }
  }

  /**
   * Stores a file that is whole in memory; a repeat of the same content gives the first record.
   *
   * Refuses  plan_limit_exceeded; conflict {reason: deleted}; idempotency_conflict; artifact_storage_unavailable.
   * Source   rules TE3, TE4, TE9.
   */
  async save({ who, artifactId, bytes, record }: SmallFile): Promise<Uploaded> {
    const known = await this.known(artifactId);
    const produce: Produce = async (writer, first) => {
      await first();
      await writer.take(bytes);
      return record({ bytes: writer.bytes, sha256: writer.sha256(), at: rfc3339(this.clock.now()) });
    };
    if (known.record) return this.compare(known, (writer) => produce(writer, () => Promise.resolve()));
    return this.keep(this.running(who, artifactId, new Map(), bytes.length), produce);
  }

  /** Refuses  conflict {reason: deleted}. */
  private async known(artifactId: string): Promise<ArtifactState> {
    const { state } = await this.decisions.load(artifactKind, idPart(artifactId));
    requireNotDeleted(state);
    return state;
  }

  private running(
    who: Identity,
    artifactId: Upload['artifactId'],
    form: ReadonlyMap<string, string>,
    expectedBytes: number,
  ): Running {
    const isKnown = typeof artifactId === 'string';
    const running: Running = {
      id: this.ids.ulid(),
      actor: actorOf(who),
      who,
      artifactId: isKnown ? artifactId : null,
      idOf: () => (running.artifactId ??= isKnown ? artifactId : artifactId(nameIn(form))),
      expectedBytes,
      isBegun: false,
      isReserved: false,
    };
    return running;
  }

  /** A repeat of an upload that is there: it is read and digested, and not kept. */
  private async compare(
    state: ArtifactState,
    produce: (writer: PieceWriter) => Promise<ArtifactRecord>,
    requireSame: RequireSame = requireSameContent,
  ): Promise<Uploaded> {
    const { record } = state;
    if (!record) throw new Error('nothing is there to compare with');
    requireSame(record, await produce(new PieceWriter(() => this.ids.randomBytes(nonceBytes), 0, null)));
    return { state, record, isNew: false };
  }

  private async keep(
    running: Running,
    produce: Produce,
    requireSame: RequireSame = requireSameContent,
  ): Promise<Uploaded> {
    const writer = new PieceWriter(
      () => this.ids.randomBytes(nonceBytes),
      running.expectedBytes,
      (piece, bytes) => this.keepPiece(running, piece, bytes),
    );
    try {
      const wanted = await produce(writer, () =>
        running.artifactId === null ? Promise.resolve() : this.reserve(running),
      );
      await writer.end();
      return await this.store(running, wanted, requireSame);
    } catch (error) {
      await writer.stop();
      await this.giveUp(running, error).catch((fault: unknown) => {
        this.log.warn(`${running.artifactId ?? running.id}: left to its timer: ${messageOf(fault)}`);
      });
      throw error;
    }
  }

  private async giveUp({ id, actor, who, artifactId, isBegun, isReserved }: Running, error: unknown): Promise<void> {
    const reason = error instanceof BrokenOff ? 'broken_off' : 'refused';
    if (isBegun && artifactId !== null) await this.cleanup.abandon(who.orgId, artifactId, id, reason);
    else if (isReserved) await this.cleanup.release(actor, id, null);
  }

  /** Reads the body, and what the record would be. `first` comes before the first byte of the file is kept. */
  private async read(
    upload: Upload,
    form: Map<string, string>,
    writer: PieceWriter,
    idOf: () => string,
    first: () => Promise<void> = () => Promise.resolve(),
  ): Promise<ArtifactRecord> {
    const { stream, headers } = upload.body;
    const head: Buffer[] = [];
    const pace = new PaceGuard(stream, this.clock);
    let hasBegun = false;
    try {
      const received = await pace.within(
        readForm(stream, headers, { fileBytesMax: this.settings.artifactBytesMax, fields: form }, (chunk) =>
          pace.ownWork(async () => {
            if (!hasBegun) await first();
            hasBegun = true;
            if (writer.bytes < headBytes) head.push(chunk.subarray(0, headBytes));
            await writer.take(chunk);
          }),
        ),
      );
      const fields = upload.fields(received);
      await upload.confirm?.();
      if (fields.sizeBytes !== null && fields.sizeBytes !== writer.bytes)
        throw new Refusal(
          'bad_request',
          { issues: [{ path: '/size_bytes', message: `${writer.bytes} bytes came` }] },
          '/size_bytes: unlike what came',
        );
      if (!hasBegun) await first();
      const bytes = { bytes: writer.bytes, sha256: writer.sha256(), at: rfc3339(this.clock.now()) };
      return upload.record(fields, { ...bytes, head: Buffer.concat(head) }, idOf());
    } finally {
      pace.end();
    }
  }

  /** The whole body as its header says, which the file is a part of; without one the bound of a file (rule TE4). */
  private expectedBytes({ 'content-length': length }: IncomingHttpHeaders): number {
    const { artifactBytesMax } = this.settings;
    return length === undefined ? artifactBytesMax : Math.min(Number(length), artifactBytesMax);
  }

  private async reserve(running: Running): Promise<void> {
    const { id: uploadId, actor, who, expectedBytes: bytes } = running;
    await this.decisions.decide(quotaDecider.reserveBytes, idPart(who.orgId), actor, {
      orgId: who.orgId,
      uploadId,
      artifactId: running.idOf(),
      bytes,
      limitBytes: this.settings.artifactQuotaBytes,
      at: rfc3339(this.clock.now()),
    });
    running.isReserved = true;
  }

  private async keepPiece(running: Running, piece: Piece, bytes: Uint8Array): Promise<void> {
    const { id: uploadId, actor, who, isBegun } = running;
    const part = idPart(running.idOf());
    if (isBegun) await this.decisions.decide(artifactDecider.namePiece, part, actor, { uploadId, piece });
    else await this.begin(running, piece);
    await this.bytes.put(who.orgId, bytes);
  }

  private async begin(running: Running, piece: Piece | null): Promise<void> {
    const { id, actor, who } = running;
    const artifactId = running.idOf();
    if (!running.isReserved) await this.reserve(running);
    const opening = { id, artifact_id: artifactId, org_id: who.orgId, begun_at: rfc3339(this.clock.now()) };
    running.isBegun = true; // from here on it may be in the log
    await this.decisions.decide(artifactDecider.beginUpload, idPart(artifactId), actor, { upload: opening, piece });
  }

  private async store(running: Running, wanted: ArtifactRecord, requireSame: RequireSame): Promise<Uploaded> {
    const { id: uploadId, actor, who } = running;
    const artifactId = running.idOf();
    if (!running.isBegun) await this.begin(running, null);
    const command = { uploadId, artifact: wanted };
    const { state, events } = await this.decisions.decide(
      artifactDecider.storeArtifact,
      idPart(artifactId),
      actor,
      command,
    );
    const { record } = state;
    if (!record) throw new Error(`${artifactId} was stored and is not there`);
    if (events.some(({ type }) => type === 'ArtifactStored')) {
      await this.cleanup.settle(actor, state, uploadId);
      return { state, record, isNew: true };
    }
    await this.cleanup.abandon(who.orgId, artifactId, uploadId, 'stored_before');
    requireSame(record, wanted);
    return { state, record, isNew: false };
  }
}

/** Rule TE5: a key stands for one name and content. */
function requireSameContent(record: ArtifactRecord, wanted: ArtifactRecord): void {
  if (record.sha256 === wanted.sha256 && record.name === wanted.name) return;
  throw new Refusal('idempotency_conflict', {}, 'the key was used for other content');
}

/** Refuses  bad_request for a form whose name did not come by the time that the first piece is full. */
function nameIn(form: ReadonlyMap<string, string>): string {
  const name = form.get('name');
  if (name === undefined || name === '')
    throw malformed('/name', 'is required, and comes before a file of over 4 MiB that is sent with a lease');
  return name;
}
