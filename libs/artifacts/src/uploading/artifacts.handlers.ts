import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, Refusal, derivedId, idPart, rfc3339, saltedHash, type Identity } from '@aos/kernel';
import { Decisions, ReleaseWrites, actorOf, permissionDenied } from '@aos/platform';
import { ActivePrincipals, OrganizationSalts } from '@aos/access/published';
import { newCustody, requireCustody } from '@aos/definitions/published';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { artifactWire } from '../artifact/artifact.wire.js';
import { newArtifact } from '../artifact/new-artifact.js';
import { artifactDecider } from '../artifact.decider.js';
import { ArtifactConversions } from '../converting/artifact-conversions.js';
import { ArtifactDirectory } from '../reading/artifact-directory.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { CreateArtifact, DeleteArtifact, type StoredArtifact } from './artifacts.commands.js';
import { artifactForm, uploadFields, type UploadFields } from './form-fields.js';
import { UploadingJobs, withoutSession, type FileCustody } from './uploading-jobs.js';
import { Uploads, type UploadBody, type Uploaded } from './uploads.js';

const feature = 'artifacts';
/** What it takes to send input to a session, and so to delete its files (rule TE8). */
const sending = 'svc.resource.use';

/**
 * Refuses upgrade_pending; conflict {reason: lease_lost} for a lease that is not live or another's; artifact_conflict
 * for a second file of one name from one job; invalid_argument {argument: owner} for an owner who is no person of the
 * organization; what `Uploads.receive` refuses.
 */
@CommandHandler(CreateArtifact)
export class CreateArtifactHandler implements ICommandHandler<CreateArtifact> {
  constructor(
    private readonly uploads: Uploads,
    private readonly jobs: UploadingJobs,
    private readonly conversions: ArtifactConversions,
    private readonly principals: ActivePrincipals,
    private readonly salts: OrganizationSalts,
    private readonly ids: Ids,
    private readonly writes: ReleaseWrites,
  ) {}

  async execute({ who, input: { body, key } }: CreateArtifact): Promise<StoredArtifact> {
    this.writes.requireFeature(feature);
    const lease = this.jobs.leaseIn(body.headers);
    const { record, isNew } = await (lease === null ? this.own(who, body, key) : this.leased(who, body, key, lease));
    if (isNew && record.conversion) this.conversions.offer(who.orgId, record.id);
    return { artifact: artifactWire(record, record, who), isNew };
  }

  private async own(who: Identity, body: UploadBody, key: string | null): Promise<Uploaded> {
    const artifactId =
      key === null
        ? `art_${this.ids.ulid()}`
        : derivedId('art', await this.salts.of(who.orgId), ['upload', who.principalId, key]);
    return this.uploads.receive({
      who,
      artifactId,
      body,
      fields: (form) => uploadFields(form, artifactForm, body.sayIgnored),
      check: (fields) => this.requirePerson(who, fields),
      record: (fields, received) =>
        newArtifact({ ...formed(who, artifactId, fields), ...ownCustody(fields, who) }, received, who.principalId),
    });
  }

  private async requirePerson(who: Identity, { owner }: UploadFields): Promise<void> {
    if (owner?.kind === 'person' && owner.id) await this.principals.requirePerson(who, owner.id);
  }

  /** A worker's file belongs to the session of its job, else to who invoked (rule TE5). */
  private async leased(who: Identity, body: UploadBody, key: string | null, token: string): Promise<Uploaded> {
    const job = await this.jobs.held(who, token);
    const salt = await this.salts.of(who.orgId);
    const custody = await this.jobs.custodyOf(job, who);
    const made = { id: job.jobId, key_hash: key === null ? null : saltedHash(salt, [key]) };
    return this.uploads.receive({
      who,
      artifactId: (name) => derivedId('art', salt, ['job', job.jobId, name]),
      body,
      fields: (form) => uploadFields(form, artifactForm, body.sayIgnored),
      record: (fields, received, id) =>
        newArtifact({ ...formed(who, id, fields), ...custody, job: made }, received, who.principalId),
      requireSame: requireSameUpload,
      confirm: async () => {
        await this.jobs.held(who, token); // another worker may have the job by now
      },
    });
  }
}

/** A caller's own file: a person's is private unless asked otherwise, software's the organization's (rule TE2). */
function ownCustody({ owner, visibility }: UploadFields, who: Identity): FileCustody {
  return withoutSession(newCustody({ owner, visibility }, who, 'organization'));
}

function formed({ orgId }: Identity, id: string, { name, mimeType, metadata, convert }: UploadFields) {
  return { id, org_id: orgId, name, mime_type: mimeType, metadata, isConverted: convert };
}

/** Of one job and name there is one file; the same bytes under the same key are the same upload (rule TE5). */
function requireSameUpload(record: ArtifactRecord, wanted: ArtifactRecord): void {
  const keyHash = wanted.job?.key_hash ?? null;
  if (keyHash !== null && record.job?.key_hash === keyHash && record.sha256 === wanted.sha256) return;
  throw new Refusal('artifact_conflict', { artifact_id: record.id }, 'the job has a file of this name');
}

/** Refuses not_found; permission_denied; upgrade_pending. */
@CommandHandler(DeleteArtifact)
export class DeleteArtifactHandler implements ICommandHandler<DeleteArtifact> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: ArtifactDirectory,
    private readonly cleanup: ArtifactCleanup,
    private readonly clock: Clock,
    private readonly writes: ReleaseWrites,
  ) {}

  async execute({ who, input: { artifact_id: artifactId } }: DeleteArtifact): Promise<void> {
    const { record } = await this.directory.visible(who, artifactId);
    if (record.session_id === null) requireCustody({ ...record, type: 'artifact', members: [] }, who);
    else if (!who.permissions.has(sending)) throw permissionDenied(sending);
    this.writes.requireFeature(feature);
    const command = { at: rfc3339(this.clock.now()), by: who.principalId };
    await this.decisions.decide(artifactDecider.deleteArtifact, idPart(artifactId), actorOf(who), command);
    await this.cleanup.cleanOrLeave(who.orgId, artifactId);
  }
}
