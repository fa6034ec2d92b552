import { Refusal, canonicalJson, changeIdOf, doneAfter, isDone, notFound, type CustodyCommand } from '@aos/kernel';
import type { AbandonReason, ArtifactEvent, ArtifactRecord, Piece, UploadOpening } from './artifact.events.js';
import { uploadsAtOnceMax } from './artifact.limits.js';
import { live, type ArtifactState } from './artifact.state.js';

/**
 * Begins an upload with the name of its first piece, before that is put.
 *
 * Refuses  conflict {reason: deleted} when the artifact of this key was deleted, {reason: upload_lost} for an upload
 *          that was abandoned before it began, {reason: too_many_uploads} when 64 go on under one key.
 * Source   rules TE3, TE5.
 */
export function beginUpload(
  { upload, piece }: { upload: UploadOpening; piece: Piece | null },
  state: ArtifactState,
): ArtifactEvent[] {
  requireNotDeleted(state);
  if (state.closed.includes(upload.id)) throw uploadLost();
  if (state.uploads.some(({ id }) => id === upload.id)) return [];
  if (state.uploads.length >= uploadsAtOnceMax)
    throw new Refusal('conflict', { reason: 'too_many_uploads' }, 'too many uploads go on under this key');
  return [{ type: 'UploadBegun', data: { upload, piece } }];
}

/**
 * Names the next piece of an upload, before it is put.
 *
 * Refuses  conflict {reason: upload_lost} when the upload is over: its writer removes what it put.
 * Source   rule TE3.
 */
export function namePiece({ uploadId, piece }: { uploadId: string; piece: Piece }, state: ArtifactState) {
  requireOpen(state, uploadId);
  const events: ArtifactEvent[] = [{ type: 'PieceNamed', data: { upload_id: uploadId, piece } }];
  return events;
}

/**
 * The upload is whole and durable. The first one in the stream becomes the artifact; a later one is abandoned, and its
 * writer looks at what is there.
 *
 * Refuses  conflict {reason: upload_lost} when it was abandoned, {reason: deleted} when the artifact was deleted.
 * Source   rules TE3, TE5.
 */
export function storeArtifact(
  { uploadId, artifact }: { uploadId: string; artifact: ArtifactRecord },
  state: ArtifactState,
): ArtifactEvent[] {
  requireNotDeleted(state);
  requireOpen(state, uploadId);
  if (!state.record) return [{ type: 'ArtifactStored', data: { artifact, upload_id: uploadId } }];
  return [
    abandoned({ uploadId, artifactId: artifact.id, orgId: artifact.org_id, at: artifact.created_at }, 'stored_before'),
  ];
}

export interface AbandonUpload {
  uploadId: string;
  artifactId: string;
  orgId: string;
  at: string;
}

/**
 * Ends an upload that is not stored; one that never began cannot begin any more.
 *
 * Gives    nothing for one that is over.
 * Source   rules TE3, TE4.
 */
export function abandonUpload(
  command: AbandonUpload & { reason: AbandonReason },
  { uploads, closed }: ArtifactState,
): ArtifactEvent[] {
  const upload = uploads.find(({ id }) => id === command.uploadId);
  if (upload ? upload.status !== 'open' : closed.includes(command.uploadId)) return [];
  return [abandoned(command, command.reason)];
}

/**
 * Deletes an artifact; its bytes are out of reach at once. Who may was judged before, on a record that only ends.
 *
 * Refuses  not_found for one that is not there.
 * Source   rule TE3.
 */
export function deleteArtifact({ at, by }: { at: string; by: string }, state: ArtifactState): ArtifactEvent[] {
  const record = live(state);
  if (!record) throw notFound('artifact');
  return [
    { type: 'ArtifactDeleted', data: { artifact: { ...record, deleted_at: at, updated_at: at, updated_by: by } } },
  ];
}

/**
 * Changes owner, audience or container of an artifact.
 *
 * Takes    how custody is judged, which the context of definitions knows.
 * Gives    one event, or none when nothing differs; by a disposition one event, once for each change.
 * Refuses  not_found; conflict {reason: session_file} for a file of a session, which goes with that; what the judge
 *          refuses.
 * Source   rules TE10, TE11.
 */
export function changeArtifactCustody(
  { judge, wanted, basis, at, by }: CustodyCommand & { judge: CustodyJudge; at: string; by: string },
  state: ArtifactState,
): ArtifactEvent[] {
  const record = live(state);
  if (!record) throw notFound('artifact');
  if (isDone(record.dispositions_done, basis)) return [];
  if (record.session_id !== null)
    throw new Refusal('conflict', { reason: 'session_file' }, 'a file of a session goes with the session');
  const { owner, visibility } = judge(record);
  const container = wanted.detach === true ? null : record.container;
  const changeId = changeIdOf(basis);
  const next = { ...record, owner, visibility, container };
  if (changeId === null && canonicalJson(next) === canonicalJson(record)) return [];
  const done = changeId === null ? {} : { dispositions_done: doneAfter(record.dispositions_done, changeId) };
  return [{ type: 'CustodyChanged', data: { artifact: { ...next, ...done, updated_at: at, updated_by: by } } }];
}

/** Gives who owns an artifact and who reaches it after a change, or refuses. */
export type CustodyJudge = (record: ArtifactRecord) => Pick<ArtifactRecord, 'owner' | 'visibility'>;

/**
 * The pieces of these uploads are gone from the store.
 *
 * Gives    nothing for those whose pieces may still be read, or written.
 * Source   rule TE3.
 */
export function eraseUploads({ uploadIds, at }: { uploadIds: readonly string[]; at: string }, state: ArtifactState) {
  const gone = removableUploads(state).filter(({ id }) => uploadIds.includes(id));
  const events: ArtifactEvent[] =
    gone.length === 0 ? [] : [{ type: 'ArtifactErased', data: { upload_ids: gone.map(({ id }) => id), at } }];
  return events;
}

/** Uploads whose pieces are for nothing: abandoned ones, and of an artifact that was deleted its file and its text. */
export function removableUploads({ uploads, record }: ArtifactState) {
  const isDeleted = record !== null && record.deleted_at !== null;
  return uploads.filter(({ status }) => status === 'abandoned' || (isDeleted && status !== 'open'));
}

/** Refuses  conflict {reason: deleted}: the key of a deleted artifact makes no other one (rule TE5). */
export function requireNotDeleted({ record }: ArtifactState): void {
  if (record !== null && record.deleted_at !== null)
    throw new Refusal('conflict', { reason: 'deleted' }, 'the artifact of this key was deleted');
}

function requireOpen({ uploads }: ArtifactState, uploadId: string): void {
  if (uploads.find(({ id }) => id === uploadId)?.status !== 'open') throw uploadLost();
}

function uploadLost(): Refusal {
  return new Refusal('conflict', { reason: 'upload_lost' }, 'the upload took too long and was abandoned');
}

function abandoned({ uploadId, artifactId, orgId, at }: AbandonUpload, reason: AbandonReason): ArtifactEvent {
  return { type: 'UploadAbandoned', data: { upload_id: uploadId, artifact_id: artifactId, org_id: orgId, reason, at } };
}
