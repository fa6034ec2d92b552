import { Injectable } from '@nestjs/common';
import { sha256Hex, type Identity } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { UploadLeases, type UploadingJob } from '@aos/artifacts/published';
import { leaseStatusOf } from './job/job.decide.js';
import { jobKind } from './job/job.state.js';
import { jobPartOf } from './lease-token.js';

/** Leases of jobs, as uploads of workers show them (rule TE5). */
@Injectable()
export class JobLeases extends UploadLeases {
  constructor(private readonly decisions: Decisions) {
    super();
  }

  override async held(who: Identity, token: string): Promise<UploadingJob | null> {
    const part = jobPartOf(token);
    if (part === null) return null;
    const { state } = await this.decisions.load(jobKind, part);
    const { opening } = state;
    if (!opening) this.decisions.forget(jobKind, part); // an unknown id takes no room
    const holder = { workerId: who.principalId, tokenHash: sha256Hex(token) };
    if (opening?.org_id !== who.orgId || leaseStatusOf(holder, state) !== 'held') return null;
    return {
      jobId: opening.job_id,
      sessionId: opening.session_id ?? null,
      actor: { principalId: opening.actor.principal_id, kind: opening.actor.kind },
    };
  }
}
