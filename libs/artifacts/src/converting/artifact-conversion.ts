import { Inject, Injectable } from '@nestjs/common';
import { Clock, Ids, Refusal, idPart, rfc3339, sha256Hex } from '@aos/kernel';
import { Decisions, DocumentTexts, Settings, documentKind, inUtf8, serviceActor, type Actor } from '@aos/platform';
import { typeOfBytes } from '@aos/sessions/published';
import type { ArtifactRecord, Piece } from '../artifact/artifact.events.js';
import { convertedBytesMax, nonceBytes } from '../artifact/artifact.limits.js';
import { artifactKind, live, storedUpload, type ArtifactState, type UploadState } from '../artifact/artifact.state.js';
import { artifactDecider } from '../artifact.decider.js';
import { isNoRoom } from '../quota/quota.decide.js';
import { reservation } from '../quota/reservation.js';
import { quotaDecider } from '../quota.decider.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';

/** A document, or that nothing is to be taken out of the file: it is read as it is, or not at all. */
type Source = { kind: NonNullable<ReturnType<typeof documentKind>>; bytes: Buffer } | { error: string | null };

interface Running {
  id: string;
  orgId: string;
  artifactId: string;
  actor: Actor;
}

/**
 * Takes the text out of a file as it is done for a model (rule TE82), and keeps it as a piece of the artifact: named
 * before it is put, within the quota, gone with the artifact. Every step can be taken twice (rule TE83).
 */
@Injectable()
export class ArtifactConversion {
  constructor(
    private readonly decisions: Decisions,
    private readonly documents: DocumentTexts,
    private readonly bytes: ArtifactBytes,
    private readonly cleanup: ArtifactCleanup,
    private readonly clock: Clock,
    private readonly ids: Ids,
    @Inject(Settings) private readonly settings: Pick<Settings, 'artifactQuotaBytes'>,
  ) {}

  /**
   * Ends the conversion of a file, unless another process is at it. What passes is left to the timer.
   *
   * Rejects with  `StoreUnavailable` when the store does not answer.
   */
  async run(orgId: string, artifactId: string): Promise<void> {
    const { state } = await this.decisions.load(artifactKind, idPart(artifactId));
    const record = live(state);
    const upload = storedUpload(state);
    if (record?.org_id !== orgId || record.conversion?.state !== 'converting' || !upload) return;
    const actor = serviceActor(orgId, 'artifacts', `conversion-${artifactId}`);
    const running = { id: this.ids.ulid(), orgId, artifactId, actor };
    try {
      await this.convert(running, record, upload);
    } catch (error) {
      if (!isOver(error)) throw error; // it was deleted, or another process was faster
    }
  }

  private async convert(running: Running, record: ArtifactRecord, upload: UploadState): Promise<void> {
    const source = await this.sourceOf(record, upload);
    if ('error' in source) {
      await this.end(running, source.error, false);
      return;
    }
    const { id: conversionId, orgId, artifactId, actor } = running;
    const command = { conversionId, at: rfc3339(this.clock.now()) };
    const part = idPart(artifactId);
    const { events } = await this.decisions.decide(artifactDecider.beginConversion, part, actor, command);
    if (!events.some(({ type }) => type === 'ConversionBegun')) return;
    const reading = await this.documents.textOf(orgId, source.kind, source.bytes);
    if ('text' in reading) await this.keep(running, Buffer.from(reading.text));
    else if (!reading.isPassing) await this.end(running, reading.failure, false);
  }

  private async sourceOf(record: ArtifactRecord, { pieces }: UploadState): Promise<Source> {
    const { org_id: orgId, size_bytes: size, mime_type: said } = record;
    if (size > convertedBytesMax) return { error: `it is over ${convertedBytesMax} bytes` };
    const bytes = await this.bytes.whole(orgId, pieces);
    if (!bytes) return { error: 'a part of it is missing' };
    const type = typeOfBytes('document', bytes, said);
    if (type === null) return { error: `${said} is not a type that can be read` };
    const kind = type === 'text/plain' ? documentKind(said) : null;
    if (kind === null) return { error: null };
    return { kind, bytes: kind === 'html' ? Buffer.from(inUtf8(said, bytes)) : bytes };
  }

  private async keep(running: Running, text: Buffer): Promise<void> {
    const { id: conversionId, orgId, artifactId, actor } = running;
    const blob = Buffer.concat([this.ids.randomBytes(nonceBytes), text]);
    const piece: Piece = { index: 0, digest: sha256Hex(blob), bytes: text.length };
    if (!(await this.reserve(running, text.length))) {
      await this.end(running, 'the storage is full', false);
      return;
    }
    let ended: ArtifactState;
    try {
      const command = { conversionId, piece, at: rfc3339(this.clock.now()) };
      await this.decisions.decide(artifactDecider.nameText, idPart(artifactId), actor, command);
      await this.bytes.put(orgId, blob);
      ended = await this.end(running, null, true);
    } catch (error) {
      await this.giveUp(running, piece);
      throw error;
    }
    await this.cleanup.settleText(actor, ended, conversionId);
  }

  /** A text that was given up by the timer before it was put is named by nothing any more. */
  private async giveUp({ id, orgId, artifactId }: Running, piece: Piece): Promise<void> {
    await this.cleanup.abandon(orgId, artifactId, id, 'refused');
    await this.cleanup.removeUnnamed(orgId, artifactId, id, [piece]);
  }

  /** False: there is no room for it. */
  private async reserve({ id: uploadId, orgId, artifactId, actor }: Running, bytes: number): Promise<boolean> {
    try {
      const command = reservation({ orgId, uploadId, artifactId, bytes }, this.clock.now(), this.settings);
      await this.decisions.decide(quotaDecider.reserveBytes, idPart(orgId), actor, command);
      return true;
    } catch (error) {
      if (isNoRoom(error)) return false;
      throw error;
    }
  }

  private async end(
    { id, artifactId, actor }: Running,
    error: string | null,
    hasText: boolean,
  ): Promise<ArtifactState> {
    const command = { conversionId: id, error, hasText };
    return (await this.decisions.decide(artifactDecider.endConversion, idPart(artifactId), actor, command)).state;
  }
}

function isOver(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'conflict' && error.details['reason'] === 'conversion_over';
}
