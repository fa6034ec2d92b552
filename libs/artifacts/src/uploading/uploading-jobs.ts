import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Identity } from '@aos/kernel';
import { Decisions, Settings } from '@aos/platform';
import { newCustody } from '@aos/definitions/published';
import { sessionKind } from '@aos/sessions/published';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { sessionCustody } from '../artifact/session-custody.js';
import { UploadLeases, type UploadingJob } from './upload-leases.js';

export type FileCustody = Pick<ArtifactRecord, 'owner' | 'visibility' | 'container' | 'session_id'>;

/** Jobs whose workers upload files, by the lease that a request shows (rule TE5). */
@Injectable()
export class UploadingJobs {
  constructor(
    private readonly leases: UploadLeases,
    private readonly decisions: Decisions,
    @Inject(Settings) private readonly settings: Pick<Settings, 'wireToken'>,
  ) {}

  /** `X-Svc-Lease-Token`, or in the spelling of this deployment; null without one. */
  leaseIn(headers: IncomingHttpHeaders): string | null {
    const header = headers['x-svc-lease-token'] ?? headers[`x-${this.settings.wireToken}-lease-token`] ?? '';
    return [header].flat().join(', ').trim() || null;
  }

  /** Refuses  conflict {reason: lease_lost}. */
  async held(who: Identity, token: string): Promise<UploadingJob> {
    const job = await this.leases.held(who, token);
    if (!job) throw new Refusal('conflict', { reason: 'lease_lost' }, 'the lease is not live, or not yours');
    return job;
  }

  /** Of the job's session, else of who invoked. */
  async custodyOf({ sessionId, actor }: UploadingJob, who: Identity): Promise<FileCustody> {
    if (sessionId === null) {
      const { principalId, kind } = actor;
      return withoutSession(
        newCustody({}, { orgId: who.orgId, principalId, kind, permissions: new Set() }, 'organization'),
      );
    }
    return sessionCustody((await this.decisions.load(sessionKind, sessionId)).state);
  }
}

export function withoutSession({ owner, visibility }: ReturnType<typeof newCustody>): FileCustody {
  const seen = visibility === 'private' ? 'private' : 'organization';
  return { owner, visibility: seen, container: null, session_id: null };
}
