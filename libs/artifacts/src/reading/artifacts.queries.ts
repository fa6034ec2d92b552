import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import { Clock, ReadStore, idPart, rfc3339, type Condition, type Identity } from '@aos/kernel';
import { CursorSeal, Decisions, Settings, listScope, visibleList, type PageQuery } from '@aos/platform';
import { artifactRows } from '../artifact/artifact.projection.js';
import { artifactWire } from '../artifact/artifact.wire.js';
import { quotaKind } from '../quota/quota.state.js';
import { ArtifactContents, type ContentAnswer, type WantedContent } from './artifact-contents.js';
import { ArtifactDirectory } from './artifact-directory.js';

export type ArtifactFilter = PageQuery & { mime?: string; session_id?: string };

/** Reads of artifacts (rules X1, TE2, TE4, TE6). */
@Injectable()
export class ArtifactQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly directory: ArtifactDirectory,
    private readonly contents: ArtifactContents,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
    @Inject(Settings) private readonly settings: Pick<Settings, 'artifactQuotaBytes'>,
  ) {}

  /** Oldest first; `mime` is the beginning of a media type, `session_id` gives the files of one session (rule X1). */
  async list(who: Identity, filter: ArtifactFilter): Promise<Reply<'listArtifacts'>> {
    const scope = listScope(who.orgId, 'artifacts', { ...filter });
    const where: Condition[] = [
      ...(filter.mime ? [{ index: 'mime', startsWith: filter.mime.toLowerCase() }] : []),
      ...(filter.session_id === undefined ? [] : [{ index: 'session', eq: filter.session_id }]),
    ];
    return visibleList(
      this.readStore,
      { collection: artifactRows, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'asc' } },
      { ...filter, seal: this.seal, scope },
      async ({ doc }) => {
        const custody = await this.directory.custody(who, doc);
        return custody && artifactWire(doc, custody, who);
      },
    );
  }

  /** Refuses  not_found. */
  async one(who: Identity, artifactId: string): Promise<Reply<'getArtifact'>> {
    const { record, custody } = await this.directory.visible(who, artifactId);
    return artifactWire(record, custody, who);
  }

  /** Refuses  not_found; artifact_storage_unavailable. */
  async content(who: Identity, artifactId: string, wanted: WantedContent): Promise<ContentAnswer> {
    const { state } = await this.directory.visible(who, artifactId);
    return this.contents.answer(state, wanted);
  }

  /** What is settled, and how many uploads are on their way (rule TE4). */
  async quota(who: Identity): Promise<Reply<'getArtifactStorageQuota'>> {
    const { state } = await this.decisions.load(quotaKind, idPart(who.orgId));
    return {
      used_bytes: state.usedBytes,
      limit_bytes: this.settings.artifactQuotaBytes,
      artifact_count: state.count,
      pending_count: state.reservations.size,
      generated_at: rfc3339(this.clock.now()),
    };
  }
}
