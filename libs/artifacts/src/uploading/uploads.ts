import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, Refusal, idPart, messageOf, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, Settings } from '@aos/platform';
import type { ArtifactRecord, Piece } from '../artifact/artifact.events.js';
import { requireNotDeleted } from '../artifact/artifact.decide.js';
import type { ReceivedBytes } from '../artifact/new-artifact.js';
import { nonceBytes } from '../artifact/artifact.limits.js';
import { artifactKind, type ArtifactState } from '../artifact/artifact.state.js';
import { artifactDecider } from '../artifact.decider.js';
import { isNoRoom } from '../quota/quota.decide.js';
import { reservation } from '../quota/reservation.js';
import { quotaDecider } from '../quota.decider.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { PieceWriter } from '../storing/piece-writer.js';
import type { UploadFields } from './form-fields.js';
import { BrokenOff, readForm, type ReceivedForm } from './multipart.js';
import { PaceGuard } from './pace-guard.js';
import { RunningUpload, type IdOfUpload } from './running-upload.js';
import { UploadSlots } from './upload-slots.js';

/** The body of an upload as it comes. */
export interface UploadBody {
  stream: Readable;
  headers: IncomingHttpHeaders;
  /** Takes the names of fields that the operation does not take. */
  sayIgnored?: (names: readonly string[]) => void;
}

/** What is uploaded, and what becomes of it. */
export interface Upload {
  who: Identity;
  /** The same for every upload under one key. A function gives it by the field `name`, which comes in the form. */
  artifactId: IdOfUpload;
  body: UploadBody;
  fields(form: ReceivedForm): UploadFields;
  /** Refuses what the fields name and is not there. */
  check?: (fields: UploadFields) => Promise<void>;
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
    const { who, artifactId, body, requireSame = requireSameContent } = upload;
    const known = typeof artifactId === 'string' ? await this.known(artifactId) : null;
    const left = new AbortController();
    body.stream.once('close', () => {
      left.abort();
    });
    const free = await this.slots.take(who.orgId, left.signal);
    try {
      const form = new Map<string, string>();
      if (known?.record) return await this.compare(known, (writer) => this.read(upload, form, writer), requireSame);
      const running = this.running(who, artifactId, form, this.expectedBytes(body.headers));
      const produce: Produce = (writer, first) => this.read(upload, form, writer, first);
      return await this.keep(running, produce, requireSame, upload.confirm);
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

  private running(who: Identity, idOf: IdOfUpload, form: ReadonlyMap<string, string>, bytes: number): RunningUpload {
    return new RunningUpload(this.ids.ulid(), who, idOf, form, bytes);
  }

  /** A repeat of an upload that is there: it is read and digested, and not kept. */
  private async compare(
    state: ArtifactState,
    produce: (writer: PieceWriter) => Promise<ArtifactRecord>,
    requireSame: RequireSame = requireSameContent,
  ): Promise<Uploaded> {
    const writer = new PieceWriter(() => this.ids.randomBytes(nonceBytes), 0, null);
    return sameAs(state, await produce(writer), requireSame);
  }

  private async keep(
    running: RunningUpload,
    produce: Produce,
    requireSame: RequireSame = requireSameContent,
    confirm?: Upload['confirm'],
  ): Promise<Uploaded> {
    const writer = new PieceWriter(
      () => this.ids.randomBytes(nonceBytes),
      running.expectedBytes,
      async (piece, bytes) => {
        if (await this.isKept(running)) await this.keepPiece(running, piece, bytes);
        else writer.keepNothing();
      },
    );
    let first = Promise.resolve();
    try {
      const wanted = await produce(writer, () => (first = this.takeRoom(running)));
      await writer.end();
      if (running.isLateNamed) await this.settleName(running);
      if (running.known) return sameAs(running.known, wanted, requireSame);
      if (running.refusal) throw running.refusal;
      if (running.isLateNamed) return await this.storeAnew(running, wanted, requireSame, confirm);
      return await this.store(running, wanted, requireSame);
    } catch (error) {
      await writer.stop();
      await first.catch(() => undefined); // a form may turn out to be faulty while its file takes room
      await this.giveUp(running, error).catch((fault: unknown) => {
        this.leftToTimer(running.artifactId ?? running.id, fault);
      });
      throw error;
    }
  }

  /** Comes before the first byte is kept; a file whose name is still to come takes room with its first piece. */
  private async takeRoom(running: RunningUpload): Promise<void> {
    if (running.idByName !== null && (await this.isKept(running))) await this.reserve(running);
  }

  private leftToTimer(what: string, fault: unknown): void {
    this.log.warn(`${what}: left to its timer: ${messageOf(fault)}`);
  }

  /**
   * Whether pieces of an upload are kept: not when the artifact of its name is there, and when there is no room. Pieces
   * that come before the name are kept under another id.
   */
  private async isKept(running: RunningUpload): Promise<boolean> {
    if (running.known ?? running.refusal) return false;
    if (running.artifactId !== null) return true;
    running.artifactId = running.idByName;
    if (running.artifactId !== null) {
      const known = await this.known(running.artifactId);
      if (known.record) running.known = known;
      return !known.record;
    }
    running.artifactId = `art_${this.ids.ulid()}`;
    running.isLateNamed = true;
    try {
      await this.reserve(running);
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      running.refusal = error; // a repeat takes no room, which the name will say
    }
    return running.refusal === null;
  }

  /** The name came after pieces were kept: what is there under it makes them needless. */
  private async settleName(running: RunningUpload): Promise<void> {
    const known = await this.known(running.idByName ?? '');
    if (!known.record) return;
    running.known = known;
    if (running.isBegun) await this.drop(running);
  }

  /** Takes away what was kept before the name was known. */
  private async drop({ who, artifactId, id }: RunningUpload): Promise<void> {
    if (artifactId === null) return;
    await this.cleanup.abandon(who.orgId, artifactId, id, 'stored_before').catch((fault: unknown) => {
      this.leftToTimer(artifactId, fault);
    });
  }

  /** Stores a file whose name came late: its pieces once more, one at a time, under the id that follows from it. */
  private async storeAnew(
    kept: RunningUpload,
    wanted: ArtifactRecord,
    requireSame: RequireSame,
    confirm: Upload['confirm'],
  ): Promise<Uploaded> {
    const { who, actor, id, artifactId } = kept;
    const { state } = await this.decisions.load(artifactKind, idPart(artifactId ?? ''));
    const pieces = state.uploads.find((upload) => upload.id === id)?.pieces ?? [];
    await this.cleanup.release(actor, id, null); // the same bytes are not counted twice
    const running = this.running(who, wanted.id, new Map(), wanted.size_bytes);
    try {
      await this.reserve(running);
      for (const piece of pieces) {
        const renewed = await this.bytes.renewed(who.orgId, piece, this.ids.randomBytes(nonceBytes));
        await this.keepPiece(running, renewed.piece, renewed.bytes);
      }
      await confirm?.();
      const stored = await this.store(running, wanted, requireSame);
      await this.drop(kept);
      return stored;
    } catch (error) {
      await this.giveUp(running, error).catch((fault: unknown) => {
        this.leftToTimer(wanted.id, fault);
      });
      throw error;
    }
  }

  private async giveUp(
    { id, actor, who, artifactId, isBegun, isReserved, pieces }: RunningUpload,
    error: unknown,
  ): Promise<void> {
    const reason = error instanceof BrokenOff ? 'broken_off' : 'refused';
    if (isBegun && artifactId !== null) {
      await this.cleanup.abandon(who.orgId, artifactId, id, reason);
      await this.cleanup.removeUnnamed(who.orgId, artifactId, id, pieces);
    } else if (isReserved) await this.cleanup.release(actor, id, null);
  }

  /** Reads the body, and what the record would be. `first` comes before the first byte of the file is kept. */
  private async read(
    upload: Upload,
    form: Map<string, string>,
    writer: PieceWriter,
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
      await upload.check?.(fields);
      await upload.confirm?.();
      if (fields.sizeBytes !== null && fields.sizeBytes !== writer.bytes)
        throw new Refusal(
          'bad_request',
          { issues: [{ path: '/size_bytes', message: `${writer.bytes} bytes came` }] },
          '/size_bytes: unlike what came',
        );
      if (!hasBegun) await first();
      const bytes = { bytes: writer.bytes, sha256: writer.sha256(), at: rfc3339(this.clock.now()) };
      const { artifactId } = upload;
      const id = typeof artifactId === 'string' ? artifactId : artifactId(fields.name);
      return upload.record(fields, { ...bytes, head: Buffer.concat(head) }, id);
    } finally {
      pace.end();
    }
  }

  /** The whole body as its header says, which the file is a part of; without one the bound of a file (rule TE4). */
  private expectedBytes({ 'content-length': length }: IncomingHttpHeaders): number {
    const { artifactBytesMax } = this.settings;
    return length === undefined ? artifactBytesMax : Math.min(Number(length), artifactBytesMax);
  }

  private async reserve(running: RunningUpload): Promise<void> {
    const { id: uploadId, actor, who, keptId: artifactId, expectedBytes: bytes } = running;
    const wanted = { orgId: who.orgId, uploadId, artifactId, bytes };
    const command = reservation(wanted, this.clock.now(), this.settings);
    await this.decisions.decide(quotaDecider.reserveBytes, idPart(who.orgId), actor, command);
    running.isReserved = true;
  }

  private async keepPiece(running: RunningUpload, piece: Piece, bytes: Uint8Array): Promise<void> {
    const { id: uploadId, actor, who, isBegun } = running;
    const part = idPart(running.keptId);
    if (isBegun) await this.decisions.decide(artifactDecider.namePiece, part, actor, { uploadId, piece });
    else await this.begin(running, piece);
    running.pieces.push(piece);
    await this.bytes.put(who.orgId, bytes);
  }

  private async begin(running: RunningUpload, piece: Piece | null): Promise<void> {
    const { id, actor, who } = running;
    const artifactId = running.keptId;
    if (!running.isReserved) await this.reserve(running);
    const opening = { id, artifact_id: artifactId, org_id: who.orgId, begun_at: rfc3339(this.clock.now()) };
    running.isBegun = true; // from here on it may be in the log
    await this.decisions.decide(artifactDecider.beginUpload, idPart(artifactId), actor, { upload: opening, piece });
  }

  private async store(running: RunningUpload, wanted: ArtifactRecord, requireSame: RequireSame): Promise<Uploaded> {
    const { id: uploadId, actor, who } = running;
    const artifactId = (running.artifactId ??= wanted.id);
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

/** What is there, for a repeat of it. */
function sameAs(state: ArtifactState, wanted: ArtifactRecord, requireSame: RequireSame): Uploaded {
  const { record } = state;
  if (!record) throw new Error('nothing is there to compare with');
  requireSame(record, wanted);
  return { state, record, isNew: false };
}
