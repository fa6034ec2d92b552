import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, derivedId, idPart, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import { newCustody, requireCustody } from '@aos/definitions/published';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { artifactWire } from '../artifact/artifact.wire.js';
import { artifactDecider } from '../artifact.decider.js';
import { ArtifactDirectory } from '../reading/artifact-directory.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { CreateArtifact, DeleteArtifact, type StoredArtifact } from './artifacts.commands.js';
import { uploadFields, type UploadFields } from './form-fields.js';
import { Uploads, type Received } from './uploads.js';

@CommandHandler(CreateArtifact)
export class CreateArtifactHandler implements ICommandHandler<CreateArtifact> {
  constructor(
    private readonly uploads: Uploads,
    private readonly salts: OrganizationSalts,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { body, key } }: CreateArtifact): Promise<StoredArtifact> {
    const artifactId =
      key === null
        ? `art_${this.ids.ulid()}`
        : derivedId('art', await this.salts.of(who.orgId), ['upload', who.principalId, key]);
    const { record, isNew } = await this.uploads.receive({
      who,
      artifactId,
      body,
      fields: (form) => uploadFields(form, true),
      record: (fields, received) => ownRecord(who, artifactId, fields, received),
    });
    return { artifact: artifactWire(record, record, who), isNew };
  }
}

/** A caller's own file: a person's is private unless asked otherwise, software's the organization's (rule TE2). */
function ownRecord(who: Identity, id: string, fields: UploadFields, received: Received): ArtifactRecord {
  const { owner, visibility } = newCustody({ owner: fields.owner, visibility: fields.visibility }, who, 'organization');
  return {
    id,
    org_id: who.orgId,
    owner,
    visibility: visibility === 'private' ? 'private' : 'organization',
    container: null,
    session_id: null,
    name: fields.name,
    mime_type: fields.mimeType,
    size_bytes: received.bytes,
    sha256: received.sha256,
    metadata: fields.metadata,
    conversion: null,
    created_at: received.at,
    created_by: who.principalId,
    updated_at: received.at,
    updated_by: who.principalId,
    deleted_at: null,
  };
}

@CommandHandler(DeleteArtifact)
export class DeleteArtifactHandler implements ICommandHandler<DeleteArtifact> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: ArtifactDirectory,
    private readonly cleanup: ArtifactCleanup,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { artifact_id: artifactId } }: DeleteArtifact): Promise<void> {
    const { record } = await this.directory.visible(who, artifactId);
    if (record.session_id === null) requireCustody({ ...record, members: [] }, who);
    const command = { at: rfc3339(this.clock.now()), by: who.principalId };
    await this.decisions.decide(artifactDecider.deleteArtifact, idPart(artifactId), actorOf(who), command);
    await this.cleanup.cleanOrLeave(who.orgId, artifactId);
  }
}
