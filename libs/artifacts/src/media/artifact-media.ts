import { Injectable } from '@nestjs/common';
import { idPart, type Identity } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { FileMedia, type MediaFile } from '@aos/sessions/published';
import { artifactKind, convertedUpload, live, storedUpload } from '../artifact/artifact.state.js';
import { ArtifactDirectory } from '../reading/artifact-directory.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactUrls } from './artifact-urls.js';

/** Files as models are given them: from the store, never over the network (rule TE8). */
@Injectable()
export class ArtifactMedia extends FileMedia {
  constructor(
    private readonly urls: ArtifactUrls,
    private readonly directory: ArtifactDirectory,
    private readonly decisions: Decisions,
    private readonly bytes: ArtifactBytes,
  ) {
    super();
  }

  override artifactAt(url: string): string | null {
    return this.urls.artifactAt(url);
  }

  override isVisible(who: Identity, artifactId: string): Promise<boolean> {
    return this.directory.isVisible(who, artifactId);
  }

  override async find(orgId: string, artifactId: string): Promise<MediaFile | null> {
    const { state } = await this.decisions.load(artifactKind, idPart(artifactId));
    const record = live(state);
    const upload = storedUpload(state);
    if (record?.org_id !== orgId || !upload || !(await this.directory.hasLiveSession(record))) return null;
    const { size_bytes: sizeBytes, mime_type: mediaType } = record;
    const text = convertedUpload(state);
    return {
      sizeBytes,
      mediaType,
      read: () => this.bytes.whole(orgId, upload.pieces),
      ...(text && { text: () => this.bytes.whole(orgId, text.pieces) }),
    };
  }
}
