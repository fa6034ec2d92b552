import type { Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { postureFor } from '@aos/definitions/published';
import type { ArtifactOwner, ArtifactRecord, ArtifactVisibility, Conversion } from './artifact.events.js';

/** Who answers for a file and who sees it: of a session's file as the session says now. */
export type Custody = { owner: ArtifactOwner; visibility: ArtifactVisibility };

/** The contract's `Artifact`. */
export function artifactWire(
  record: ArtifactRecord,
  { owner, visibility }: Custody,
  who: Pick<Identity, 'principalId'>,
): Schema<'Artifact'> {
  const { id, org_id: orgId, container, metadata, conversion, session_id: sessionId } = record;
  return {
    id,
    owner: { ...owner },
    visibility,
    container,
    posture: postureFor({ id, org_id: orgId, owner, visibility, members: [] }, who),
    name: record.name,
    mime_type: record.mime_type,
    size_bytes: record.size_bytes,
    sha256: record.sha256,
    created_at: record.created_at,
    created_by: record.created_by,
    updated_at: record.updated_at,
    updated_by: record.updated_by,
    ...(metadata === null ? {} : { metadata }),
    ...(conversion === null ? {} : { conversion: conversionWire(conversion) }),
    ...(sessionId === null ? {} : { session_id: sessionId }),
  };
}

function conversionWire({ state, error }: Conversion): Schema<'ArtifactConversionSummary'> {
  return { state, ...(error === undefined ? {} : { error }) };
}
