import { Injectable, Logger } from '@nestjs/common';
import { Clock, idPart, messageOf, rfc3339 } from '@aos/kernel';
import { Decisions, serviceActor, type Actor } from '@aos/platform';
import type { AbandonReason, Piece } from '../artifact/artifact.events.js';
import { removableUploads } from '../artifact/artifact.decide.js';
import { reservationAgeMaxMs } from '../artifact/artifact.limits.js';
import {
  abandonableFrom,
  artifactKind,
  convertedUpload,
  live,
  storedUpload,
  type ArtifactState,
} from '../artifact/artifact.state.js';
import { artifactDecider } from '../artifact.decider.js';
import { quotaDecider } from '../quota.decider.js';
import { quotaKind } from '../quota/quota.state.js';
import { ArtifactBytes } from './artifact-bytes.js';

/**
 * Takes away what uploads that broke off and artifacts that were deleted left: pieces, and their share of the quota.
 * Every step can be taken twice, so that a timer repeats them after a crash (rules TE3, TE4).
 */
@Injectable()
export class ArtifactCleanup {
  private readonly log = new Logger('artifacts');

  constructor(
    private readonly decisions: Decisions,
    private readonly bytes: ArtifactBytes,
    private readonly clock: Clock,
  ) {}

  /** Ends an upload that is not stored, and removes its pieces. */
  async abandon(orgId: string, artifactId: string, uploadId: string, reason: AbandonReason): Promise<void> {
    const actor = upkeep(orgId, artifactId);
    const command = { uploadId, artifactId, orgId, reason, at: rfc3339(this.clock.now()) };
    await this.decisions.decide(artifactDecider.abandonUpload, idPart(artifactId), actor, command);
    await this.clean(orgId, artifactId);
    await this.release(actor, uploadId, null);
  }

  /**
   * For a writer whose upload is over: nothing names pieces that it put after the upload was cleaned up, and no timer
   * would find them (rule TE3).
   */
  async removeUnnamed(orgId: string, artifactId: string, uploadId: string, put: readonly Piece[]): Promise<void> {
    const { state } = await this.decisions.load(artifactKind, idPart(artifactId));
    if (!state.uploads.some(({ id }) => id === uploadId)) await this.bytes.remove(orgId, put);
  }

  /** Abandons what is too old, then removes what nothing names any more; can be called at any time. */
  async clean(orgId: string, artifactId: string): Promise<void> {
    const part = idPart(artifactId);
    const actor = upkeep(orgId, artifactId);
    const { state } = await this.decisions.load(artifactKind, part);
    let current = state;
    for (const upload of state.uploads) {
      if (upload.status !== 'open' || this.clock.now() < abandonableFrom(upload, state)) continue;
      const { id: uploadId } = upload;
      const command = { uploadId, artifactId, orgId, reason: 'too_old' as const, at: rfc3339(this.clock.now()) };
      current = (await this.decisions.decide(artifactDecider.abandonUpload, part, actor, command)).state;
    }
    await this.erase(actor, artifactId, current);
  }

  /** As `clean`, for who has done its part: what cannot be done now is left to the timer. */
  async cleanOrLeave(orgId: string, artifactId: string): Promise<void> {
    try {
      await this.clean(orgId, artifactId);
    } catch (error) {
      this.log.warn(`${artifactId}: left to its timer: ${messageOf(error)}`);
    }
  }

  /** Closes the reservations of an organization that are too old, by what their artifacts' streams say (rule TE4). */
  async closeReservations(orgId: string): Promise<void> {
    const { state } = await this.decisions.load(quotaKind, idPart(orgId));
    for (const [uploadId, { artifactId, at }] of state.reservations) {
      if (this.clock.now() < at + reservationAgeMaxMs) continue;
      const actor = upkeep(orgId, artifactId);
      const { state: artifact } = await this.decisions.load(artifactKind, idPart(artifactId));
      if (convertedUpload(artifact)?.id === uploadId) await this.closeText(actor, artifact, uploadId);
      else if (storedUpload(artifact)?.id !== uploadId) await this.abandon(orgId, artifactId, uploadId, 'too_old');
      else if (live(artifact)) await this.settle(actor, artifact, uploadId);
      else await this.release(actor, uploadId, artifactId);
    }
  }

  /** Counts the bytes of the stored upload, once. */
  async settle(actor: Actor, { record }: ArtifactState, uploadId: string): Promise<void> {
    if (!record) return;
    const command = { uploadId, artifactId: record.id, bytes: record.size_bytes };
    await this.decisions.decide(quotaDecider.settleBytes, idPart(record.org_id), actor, command);
  }

  /** Counts the bytes of the text, once. */
  async settleText(actor: Actor, artifact: ArtifactState, uploadId: string): Promise<void> {
    const text = convertedUpload(artifact);
    if (!artifact.artifactId || text?.id !== uploadId) return;
    const bytes = text.pieces.reduce((sum, piece) => sum + piece.bytes, 0);
    const command = { uploadId, artifactId: artifact.artifactId, bytes };
    await this.decisions.decide(quotaDecider.settleText, idPart(actor.orgId), actor, command);
  }

  /** What cannot be counted any more is given back: the artifact is gone. */
  private async closeText(actor: Actor, artifact: ArtifactState, uploadId: string): Promise<void> {
    await this.settleText(actor, artifact, uploadId);
    await this.release(actor, uploadId, null);
  }

  private async erase(actor: Actor, artifactId: string, state: ArtifactState): Promise<void> {
    const uploads = removableUploads(state);
    for (const { id, status, pieces } of uploads) {
      await this.bytes.remove(actor.orgId, pieces);
      await this.release(actor, id, status === 'stored' ? artifactId : null);
    }
    if (uploads.length === 0) return;
    const command = { uploadIds: uploads.map(({ id }) => id), at: rfc3339(this.clock.now()) };
    await this.decisions.decide(artifactDecider.eraseUploads, idPart(artifactId), actor, command);
  }

  /** Gives back what an upload reserved; with the artifact what that took. */
  async release(actor: Actor, uploadId: string, artifactId: string | null): Promise<void> {
    await this.decisions.decide(quotaDecider.releaseBytes, idPart(actor.orgId), actor, { uploadId, artifactId });
  }
}

function upkeep(orgId: string, artifactId: string): Actor {
  return serviceActor(orgId, 'artifacts', `cleanup-${artifactId}`);
}
