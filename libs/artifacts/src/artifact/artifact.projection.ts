import { collection, collectionOf, dueRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { ArtifactEvent, ArtifactRecord } from './artifact.events.js';
import { cleanupDelayMs, conversionDelayMs, conversionRetryMs } from './artifact.limits.js';
import { abandonableFrom, artifactKind, live, type ArtifactState, type UploadState } from './artifact.state.js';

export const cleanupHandler = 'artifact_cleanup';
export const conversionHandler = 'artifact_conversion';

/** Artifacts that are there, oldest first. */
export const artifactsProjection: StreamProjection<ArtifactState, ArtifactEvent> = {
  name: 'artifacts',
  version: 1,
  kind: artifactKind,
  on: new Set(['ArtifactStored', 'ArtifactConverted', 'CustodyChanged', 'ArtifactDeleted']),
  rows({ state, revision }) {
    const { record } = state;
    if (!record) return [];
    const row = { collection: collectionOf(artifactsProjection), scope: [record.org_id], key: record.id, revision };
    const shown = live(state);
    if (!shown) return [{ ...row, doc: null, index: {} }];
    return [
      {
        ...row,
        doc: shown,
        index: {
          created: `${shown.created_at} ${shown.id}`,
          mime: [shown.mime_type.toLowerCase()],
          ...(shown.session_id === null ? {} : { session: shown.session_id }),
        },
      },
    ];
  },
};

export const artifactRows = collection<ArtifactRecord>(artifactsProjection);

/**
 * The timer that abandons an old upload, and removes what was abandoned or deleted (rule TE3); for a file that is to be
 * converted, the one that does it when its process did not (rule TE83).
 */
export const artifactTimersProjection: StreamProjection<ArtifactState, ArtifactEvent> = {
  name: 'artifact_timers',
  version: 1,
  kind: artifactKind,
  rows({ state, id, revision }) {
    const { orgId, artifactId, record, uploads } = state;
    if (orgId === null || artifactId === null) return [];
    const times = uploads.map((upload) => dueAt(upload, state)).filter((at) => at !== null);
    const timer = { stream: `artifact-${id}`, revision, details: { org_id: orgId, artifact_id: artifactId } };
    const cleanupAt = times.length === 0 ? null : Math.min(...times);
    const cleanup = dueRow({ ...timer, name: 'cleanup', at: cleanupAt, handler: cleanupHandler });
    if (!record?.conversion) return [cleanup];
    return [cleanup, dueRow({ ...timer, name: 'conversion', at: conversionAt(state), handler: conversionHandler })];
  },
};

function conversionAt(state: ArtifactState): number | null {
  const record = live(state);
  if (record?.conversion?.state !== 'converting') return null;
  const { begun_at: begunAt } = record.conversion;
  return begunAt === undefined
    ? Date.parse(record.created_at) + conversionDelayMs
    : Date.parse(begunAt) + conversionRetryMs;
}

function dueAt(upload: UploadState, { record }: ArtifactState): number | null {
  const { status, begunAt, closedAt } = upload;
  const deletedAt = record?.deleted_at ? Date.parse(record.deleted_at) : null;
  switch (status) {
    case 'open':
      return abandonableFrom(upload, { record });
    case 'abandoned':
      return (closedAt ?? begunAt) + cleanupDelayMs;
    default:
      return deletedAt === null ? null : deletedAt + cleanupDelayMs;
  }
}
