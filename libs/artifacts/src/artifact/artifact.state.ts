import { unreachable, type StreamKind } from '@aos/kernel';
import { deletedTextAgeMaxMs, textAgeMaxMs, uploadAgeMaxMs } from './artifact.limits.js';
import { artifactEvents, type ArtifactEvent, type ArtifactRecord, type Piece } from './artifact.events.js';

/** Uploads that were abandoned and whose pieces are gone: so many ids are kept, so that none of them begins late. */
const closedMax = 64;

export interface UploadState {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  /** `converted`: it holds the text of the artifact. */
  readonly status: 'open' | 'abandoned' | 'stored' | 'converted';
  readonly closedAt: number | null;
  readonly pieces: readonly Piece[];
  /** Absent: it is of the file. */
  readonly isText?: true;
}

/** Stream `artifact-<id without prefix>`. */
export interface ArtifactState {
  readonly orgId: string | null;
  readonly artifactId: string | null;
  /** Null until an upload was stored; kept after the artifact was deleted. */
  readonly record: ArtifactRecord | null;
  /** Uploads whose pieces may lie in the store. */
  readonly uploads: readonly UploadState[];
  readonly closed: readonly string[];
}

function evolve(state: ArtifactState, { type, data }: ArtifactEvent): ArtifactState {
  switch (type) {
    case 'UploadBegun': {
      const { upload, piece } = data;
      const begun: UploadState = {
        id: upload.id,
        begunAt: Date.parse(upload.begun_at),
        status: 'open',
        closedAt: null,
        pieces: piece ? [piece] : [],
      };
      return { ...state, orgId: upload.org_id, artifactId: upload.artifact_id, uploads: [...state.uploads, begun] };
    }
    case 'PieceNamed':
      return withUpload(state, data.upload_id, (upload) => ({ ...upload, pieces: [...upload.pieces, data.piece] }));
    case 'UploadAbandoned': {
      const known = state.uploads.some(({ id }) => id === data.upload_id);
      const named = { ...state, orgId: data.org_id, artifactId: data.artifact_id };
      if (!known) return { ...named, closed: [...state.closed, data.upload_id].slice(-closedMax) };
      const closedAt = Date.parse(data.at);
      return withUpload(named, data.upload_id, (upload) => ({ ...upload, status: 'abandoned', closedAt }));
    }
    case 'ArtifactStored':
      return withUpload({ ...state, record: data.artifact }, data.upload_id, (upload) => ({
        ...upload,
        status: 'stored',
      }));
    case 'ConversionBegun':
      return { ...state, record: withAttempt(state.record, data.at) };
    case 'TextNamed': {
      const { conversion_id: id, piece, at } = data;
      const begunAt = Date.parse(at);
      const text: UploadState = { id, begunAt, status: 'open', closedAt: null, pieces: [piece], isText: true };
      return { ...state, uploads: [...state.uploads, text] };
    }
    case 'ArtifactConverted':
      return withUpload({ ...state, record: data.artifact }, data.conversion_id, (upload) => ({
        ...upload,
        status: 'converted',
      }));
    case 'CustodyChanged':
    case 'ArtifactDeleted':
      return { ...state, record: data.artifact };
    case 'ArtifactErased':
      return {
        ...state,
        uploads: state.uploads.filter(({ id }) => !data.upload_ids.includes(id)),
        closed: [...state.closed, ...data.upload_ids].slice(-closedMax),
      };
    default:
      return unreachable(type);
  }
}

function withUpload(state: ArtifactState, id: string, next: (upload: UploadState) => UploadState): ArtifactState {
  return { ...state, uploads: state.uploads.map((upload) => (upload.id === id ? next(upload) : upload)) };
}

function withAttempt(record: ArtifactRecord | null, at: string): ArtifactRecord | null {
  if (!record) return null;
  const attempts = (record.conversion?.attempts ?? 0) + 1;
  return { ...record, conversion: { state: 'converting', attempts, begun_at: at } };
}

export const artifactKind: StreamKind<ArtifactState, ArtifactEvent> = {
  category: 'artifact',
  events: artifactEvents,
  initial: () => ({ orgId: null, artifactId: null, record: null, uploads: [], closed: [] }),
  evolve,
  stateVersion: 1,
  snapshotEvery: 200,
};

/** The upload whose pieces are the artifact's bytes. */
export function storedUpload({ uploads }: ArtifactState): UploadState | null {
  return uploads.find(({ status }) => status === 'stored') ?? null;
}

/** The upload that holds the artifact's text. */
export function convertedUpload({ uploads }: ArtifactState): UploadState | null {
  return uploads.find(({ status }) => status === 'converted') ?? null;
}

/** From when an upload that is open is abandoned: its process is gone or too slow (rule TE3). */
export function abandonableFrom({ begunAt, isText }: UploadState, { record }: Pick<ArtifactState, 'record'>): number {
  if (!isText) return begunAt + uploadAgeMaxMs;
  if (!record?.deleted_at) return begunAt + textAgeMaxMs;
  return Math.min(begunAt + textAgeMaxMs, Date.parse(record.deleted_at) + deletedTextAgeMaxMs);
}

/** The artifact while it is there. */
export function live({ record }: ArtifactState): ArtifactRecord | null {
  return record?.deleted_at === null ? record : null;
}
