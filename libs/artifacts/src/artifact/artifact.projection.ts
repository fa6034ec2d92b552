import { collection, collectionOf, dueRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { ArtifactEvent, ArtifactRecord } from './artifact.events.js';
import { cleanupDelayMs, uploadAgeMaxMs } from './artifact.limits.js';
import { artifactKind, live, type ArtifactState, type UploadState } from './artifact.state.js';

export const cleanupHandler = 'artifact_cleanup';

/** Artifacts that are there, oldest first. */
export const artifactsProjection: StreamProjection<ArtifactState, ArtifactEvent> = {
  name: 'artifacts',
  version: 1,
  kind: artifactKind,
  on: new Set(['ArtifactStored', 'CustodyChanged', 'ArtifactDeleted']),
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

/** The timer that abandons an old upload, and removes what was abandoned or deleted (rule TE3). */
export const artifactTimersProjection: StreamProjection<ArtifactState, ArtifactEvent> = {
  name: 'artifact_timers',
  version: 1,
  kind: artifactKind,
  rows({ state, id, revision }) {
    const { orgId, artifactId, record, uploads } = state;
    if (orgId === null || artifactId === null) return [];
    const deletedAt = record?.deleted_at ? Date.parse(record.deleted_at) : null;
    const times = uploads.map((upload) => dueAt(upload, deletedAt)).filter((at) => at !== null);
    return [
      dueRow({
        stream: `artifact-${id}`,
        revision,
        name: 'cleanup',
        at: times.length === 0 ? null : Math.min(...times),
        handler: cleanupHandler,
        details: { org_id: orgId, artifact_id: artifactId },
      }),
    ];
  },
};

function dueAt({ status, begunAt, closedAt }: UploadState, deletedAt: number | null): number | null {
  switch (status) {
    case 'open':
      return begunAt + uploadAgeMaxMs;
    case 'abandoned':
      return (closedAt ?? begunAt) + cleanupDelayMs;
    default:
      return deletedAt === null ? null : deletedAt + cleanupDelayMs;
  }
}
