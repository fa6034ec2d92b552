import type { Identity, PrincipalKind } from '@aos/kernel';

/** A job whose worker uploads a file. */
export interface UploadingJob {
  jobId: string;
  /** Null: it belongs to no session. */
  sessionId: string | null;
  /** For whom it is done. */
  actor: { principalId: string; kind: PrincipalKind };
}

/** Leases of workers on jobs, as an upload shows one (rule TE5). A global module provides it. */
export abstract class UploadLeases {
  /** The job, while the lease is live and the caller's own; null for any other token. */
  abstract held(who: Identity, token: string): Promise<UploadingJob | null>;
}
