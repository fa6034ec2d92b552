import type { JsonObject } from '@aos/kernel';
import type { ArtifactRecord } from './artifact.events.js';

/** Bytes that came, and when. */
export interface ReceivedBytes {
  bytes: number;
  sha256: string;
  at: string;
}

/** A file that is stored now, and whose it is. */
export type NewArtifact = Pick<
  ArtifactRecord,
  'id' | 'org_id' | 'owner' | 'visibility' | 'container' | 'session_id' | 'name' | 'mime_type' | 'job'
> & {
  metadata?: JsonObject | null;
  /** Its text is taken out next (rule TE83). */
  isConverted?: boolean;
};

/** The record of a file that was received. */
export function newArtifact(
  { metadata = null, isConverted = false, ...artifact }: NewArtifact,
  { bytes, sha256, at }: ReceivedBytes,
  by: string,
): ArtifactRecord {
  return {
    ...artifact,
    size_bytes: bytes,
    sha256,
    metadata,
    conversion: isConverted ? { state: 'converting' } : null,
    created_at: at,
    created_by: by,
    updated_at: at,
    updated_by: by,
    deleted_at: null,
  };
}
