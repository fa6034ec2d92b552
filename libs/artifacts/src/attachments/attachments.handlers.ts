import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, derivedId, idPart, notFound, rfc3339 } from '@aos/kernel';
import { Decisions, ReleaseWrites, actorOf } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import { typeOfBytes } from '@aos/sessions/published';
import { newArtifact } from '../artifact/new-artifact.js';
import { sessionCustody } from '../artifact/session-custody.js';
import { artifactDecider } from '../artifact.decider.js';
import { ArtifactConversions } from '../converting/artifact-conversions.js';
import { ArtifactUrls } from '../media/artifact-urls.js';
import { ArtifactDirectory } from '../reading/artifact-directory.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { attachmentForm, uploadFields, unknownType } from '../uploading/form-fields.js';
import { Uploads } from '../uploading/uploads.js';
import { AttachableSessions } from '../reading/attachable-sessions.js';
import { attachmentWire } from './attachment.wire.js';
import { CreateAttachment, DeleteAttachment, type StoredAttachment } from './attachments.commands.js';

const feature = 'artifacts';

/** Refuses not_found; upgrade_pending; what `Uploads.receive` refuses. */
@CommandHandler(CreateAttachment)
export class CreateAttachmentHandler implements ICommandHandler<CreateAttachment> {
  constructor(
    private readonly uploads: Uploads,
    private readonly sessions: AttachableSessions,
    private readonly urls: ArtifactUrls,
    private readonly conversions: ArtifactConversions,
    private readonly salts: OrganizationSalts,
    private readonly ids: Ids,
    private readonly writes: ReleaseWrites,
  ) {}

  async execute({ who, input: { session_id: sessionId, body, key } }: CreateAttachment): Promise<StoredAttachment> {
    const session = await this.sessions.forInput(who, sessionId);
    this.writes.requireFeature(feature);
    const custody = sessionCustody(session);
    const id =
      key === null
        ? `art_${this.ids.ulid()}`
        : derivedId('art', await this.salts.of(who.orgId), ['attachment', sessionId, who.principalId, key]);
    const { record, isNew } = await this.uploads.receive({
      who,
      artifactId: id,
      body,
      fields: (form) => uploadFields(form, attachmentForm, body.sayIgnored),
      record: ({ name, mimeType, convert: isConverted }, received) =>
        newArtifact(
          { id, org_id: who.orgId, ...custody, name, mime_type: seenType(mimeType, received.head), isConverted },
          received,
          who.principalId,
        ),
    });
    if (isNew && record.conversion) this.conversions.offer(who.orgId, record.id);
    return { attachment: attachmentWire(record, custody, who, this.urls.url(record.id)), isNew };
  }
}

/** Images and PDF by their bytes; another type as it is said, unless it says that it is one of these. */
function seenType(said: string, head: Buffer): string {
  const seen = typeOfBytes('image', head, '') ?? typeOfBytes('document', head, '');
  if (seen !== null) return seen;
  return /^image\/(png|jpeg|gif|webp)\b|^application\/pdf\b/i.test(said) ? unknownType : said;
}

/** Refuses not_found, also for a file of another session; upgrade_pending. */
@CommandHandler(DeleteAttachment)
export class DeleteAttachmentHandler implements ICommandHandler<DeleteAttachment> {
  constructor(
    private readonly decisions: Decisions,
    private readonly sessions: AttachableSessions,
    private readonly directory: ArtifactDirectory,
    private readonly cleanup: ArtifactCleanup,
    private readonly clock: Clock,
    private readonly writes: ReleaseWrites,
  ) {}

  async execute({ who, input: { session_id: sessionId, artifact_id: artifactId } }: DeleteAttachment): Promise<void> {
    await this.sessions.reached(who, sessionId);
    this.writes.requireFeature(feature);
    const { record } = await this.directory.visible(who, artifactId);
    if (record.session_id !== sessionId) throw notFound('artifact');
    const command = { at: rfc3339(this.clock.now()), by: who.principalId };
    await this.decisions.decide(artifactDecider.deleteArtifact, idPart(artifactId), actorOf(who), command);
    await this.cleanup.cleanOrLeave(who.orgId, artifactId);
  }
}
