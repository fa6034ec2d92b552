import type { IncomingHttpHeaders } from 'node:http';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, Refusal, derivedId, idPart, rfc3339, saltedHash, type Identity } from '@aos/kernel';
import { Decisions, ReleaseWrites, Settings, actorOf } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import { newCustody, requireCustody } from '@aos/definitions/published';
import { sessionKind } from '@aos/sessions/published';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { artifactWire } from '../artifact/artifact.wire.js';
import { newArtifact } from '../artifact/new-artifact.js';
import { sessionCustody } from '../artifact/session-custody.js';
import { artifactDecider } from '../artifact.decider.js';
import { ArtifactDirectory } from '../reading/artifact-directory.js';
import { AttachableSessions } from '../reading/attachable-sessions.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { CreateArtifact, DeleteArtifact, type StoredArtifact } from './artifacts.commands.js';
import { uploadFields, type UploadFields } from './form-fields.js';
import { UploadLeases, type UploadingJob } from './upload-leases.js';
import { Uploads, type UploadBody, type Uploaded } from './uploads.js';

const feature = 'artifacts';

/**
 * Refuses upgrade_pending; conflict {reason: lease_lost} for a lease that is not live or another's; artifact_conflict
 * for a second file of one name from one job; what `Uploads.receive` refuses.
 */
@CommandHandler(CreateArtifact)
export class CreateArtifactHandler implements ICommandHandler<CreateArtifact> {
  constructor(
    private readonly uploads: Uploads,
    private readonly leases: UploadLeases,
    private readonly decisions: Decisions,
    private readonly salts: OrganizationSalts,
    private readonly ids: Ids,
    private readonly writes: ReleaseWrites,
    @Inject(Settings) private readonly settings: Pick<Settings, 'wireToken'>,
  ) {}

  async execute({ who, input: { body, key } }: CreateArtifact): Promise<StoredArtifact> {
    this.writes.requireFeature(feature);
    const lease = leaseIn(body.headers, this.settings.wireToken);
    const { record, isNew } = await (lease === null ? this.own(who, body, key) : this.leased(who, body, key, lease));
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
      fields: (form) => uploadFields(form, true),
      record: (fields, received) =>
        newArtifact({ ...formed(who, artifactId, fields), ...ownCustody(fields, who) }, received, who.principalId),
    });
  }

  /** A worker's file belongs to the session of its job, else to who invoked (rule TE5). */
  private async leased(who: Identity, body: UploadBody, key: string | null, token: string): Promise<Uploaded> {
    const job = await this.held(who, token);
    const salt = await this.salts.of(who.orgId);
    const custody = await this.custodyOf(job, who);
    const made = { id: job.jobId, key_hash: key === null ? null : saltedHash(salt, [key]) };
    return this.uploads.receive({
      who,
      artifactId: (name) => derivedId('art', salt, ['job', job.jobId, name]),
      body,
      fields: (form) => uploadFields(form, true),
      record: (fields, received, id) =>
        newArtifact({ ...formed(who, id, fields), ...custody, job: made }, received, who.principalId),
      requireSame: requireSameUpload,
      confirm: async () => {
        await this.held(who, token); // another worker may have the job by now
      },
    });
  }

  /** Refuses  conflict {reason: lease_lost}. */
  private async held(who: Identity, token: string): Promise<UploadingJob> {
    const job = await this.leases.held(who, token);
    if (!job) throw new Refusal('conflict', { reason: 'lease_lost' }, 'the lease is not live, or not yours');
    return job;
  }

  private async custodyOf({ sessionId, actor }: UploadingJob, who: Identity): Promise<FileCustody> {
    if (sessionId === null) {
      const { principalId, kind } = actor;
      return withoutSession(
        newCustody({}, { orgId: who.orgId, principalId, kind, permissions: new Set() }, 'organization'),
      );
    }
    return sessionCustody((await this.decisions.load(sessionKind, sessionId)).state);
  }
}

/** The lease of a job: `X-Svc-Lease-Token`, or in the spelling of this deployment; null without one. */
function leaseIn(headers: IncomingHttpHeaders, wireToken: string): string | null {
  const header = headers['x-svc-lease-token'] ?? headers[`x-${wireToken}-lease-token`] ?? '';
  return [header].flat().join(', ').trim() || null;
}

type FileCustody = Pick<ArtifactRecord, 'owner' | 'visibility' | 'container' | 'session_id'>;

/** A caller's own file: a person's is private unless asked otherwise, software's the organization's (rule TE2). */
function ownCustody({ owner, visibility }: UploadFields, who: Identity): FileCustody {
  return withoutSession(newCustody({ owner, visibility }, who, 'organization'));
}

function withoutSession({ owner, visibility }: ReturnType<typeof newCustody>): FileCustody {
  const seen = visibility === 'private' ? 'private' : 'organization';
  return { owner, visibility: seen, container: null, session_id: null };
}

function formed({ orgId }: Identity, id: string, { name, mimeType, metadata }: UploadFields) {
  return { id, org_id: orgId, name, mime_type: mimeType, metadata };
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
    private readonly sessions: AttachableSessions,
    private readonly cleanup: ArtifactCleanup,
    private readonly clock: Clock,
    private readonly writes: ReleaseWrites,
  ) {}

  async execute({ who, input: { artifact_id: artifactId } }: DeleteArtifact): Promise<void> {
    const { record } = await this.directory.visible(who, artifactId);
    if (record.session_id === null) requireCustody({ ...record, members: [] }, who);
    else await this.sessions.forInput(who, record.session_id);
    this.writes.requireFeature(feature);
    const command = { at: rfc3339(this.clock.now()), by: who.principalId };
    await this.decisions.decide(artifactDecider.deleteArtifact, idPart(artifactId), actorOf(who), command);
    await this.cleanup.cleanOrLeave(who.orgId, artifactId);
  }
}
