import { Refusal } from '@aos/kernel';
import { artifactsMax, reservationsMax } from '../artifact/artifact.limits.js';
import type { QuotaEvent } from './quota.events.js';
import { bytesOf, reservedBytes, type QuotaState } from './quota.state.js';

export interface ReserveBytes {
  orgId: string;
  uploadId: string;
  artifactId: string;
  bytes: number;
  limitBytes: number;
  at: string;
}

/**
 * Takes bytes for an upload before its first piece is stored.
 *
 * Refuses  plan_limit_exceeded {limit: artifact_storage, limit_bytes, used_bytes} when what is there, what is on its
 *          way and this would be over the limit, or there are 100,000 artifacts.
 * Units    bytes; `used_bytes` are settled ones.
 * Source   rule TE4.
 */
export function reserveBytes(command: ReserveBytes, state: QuotaState): QuotaEvent[] {
  const { orgId, uploadId, artifactId, bytes, limitBytes, at } = command;
  if (state.reservations.has(uploadId)) return [];
  const isFull = state.count + state.reservations.size >= artifactsMax || state.reservations.size >= reservationsMax;
  if (isFull || state.usedBytes + reservedBytes(state) + bytes > limitBytes) {
    throw new Refusal(
      'plan_limit_exceeded',
      { limit: 'artifact_storage', limit_bytes: limitBytes, used_bytes: state.usedBytes },
      'the storage of artifacts is full',
    );
  }
  return [{ type: 'BytesReserved', data: { org_id: orgId, upload_id: uploadId, artifact_id: artifactId, bytes, at } }];
}

/** Whether it is the refusal of `reserveBytes`. */
export function isNoRoom(error: unknown): error is Refusal {
  return error instanceof Refusal && error.code === 'plan_limit_exceeded';
}

/**
 * The upload was stored: its bytes count as they are.
 *
 * Gives    nothing for a reservation that is closed, so that a second time counts once.
 * Source   rule TE4.
 */
export function settleBytes(
  { uploadId, artifactId, bytes }: { uploadId: string; artifactId: string; bytes: number },
  state: QuotaState,
): QuotaEvent[] {
  if (!state.reservations.has(uploadId) || bytesOf(state, artifactId) !== null) return [];
  return [{ type: 'BytesSettled', data: { upload_id: uploadId, artifact_id: artifactId, bytes } }];
}

/**
 * The text of an artifact was stored: its bytes count with those of the artifact.
 *
 * Gives    nothing for a reservation that is closed, and for an artifact that is not counted.
 * Source   rules TE4, TE83.
 */
export function settleText(
  { uploadId, artifactId, bytes }: { uploadId: string; artifactId: string; bytes: number },
  state: QuotaState,
): QuotaEvent[] {
  if (!state.reservations.has(uploadId) || bytesOf(state, artifactId) === null) return [];
  return [{ type: 'TextSettled', data: { upload_id: uploadId, artifact_id: artifactId, bytes } }];
}

/**
 * Gives a reservation back, and with `artifactId` what the artifact takes: it was deleted.
 *
 * Gives    nothing when neither is there, so that a second time counts once.
 * Source   rule TE4.
 */
export function releaseBytes(
  { uploadId, artifactId }: { uploadId: string; artifactId: string | null },
  state: QuotaState,
): QuotaEvent[] {
  const isLive = artifactId !== null && bytesOf(state, artifactId) !== null;
  if (!isLive && !state.reservations.has(uploadId)) return [];
  return [{ type: 'BytesReleased', data: { upload_id: uploadId, artifact_id: isLive ? artifactId : null } }];
}
