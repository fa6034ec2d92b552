import { defineEvents, event, type EventOf, type JsonObject } from '@aos/kernel';

export type ArtifactOwner = { kind: 'person' | 'team'; id: string | null };
export type ArtifactVisibility = 'private' | 'organization';

/** Its text, taken out ahead for models (rule TE83). */
export type Conversion = {
  state: 'converting' | 'ready' | 'failed';
  error?: string;
  /** How often a process began to read it, and when the last one did. */
  attempts?: number;
  begun_at?: string;
};

/** A piece of an upload: a blob that begins with random bytes of its upload, and `bytes` of the file behind them. */
export type Piece = { index: number; digest: string; bytes: number };

/** A file as it stands. */
export type ArtifactRecord = {
  id: string;
  org_id: string;
  owner: ArtifactOwner;
  visibility: ArtifactVisibility;
  container: { kind: 'agent'; id: string } | null;
  /** Set for a file of a session: who sees the session sees it, and it goes with it (rule X2). */
  session_id: string | null;
  name: string;
  mime_type: string;
  size_bytes: number;
  /** Of the bytes of the file, in hex. */
  sha256: string;
  metadata: JsonObject | null;
  conversion: Conversion | null;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
  deleted_at: string | null;
  /** Changes of agents' audiences whose disposition over it was carried out, the newest ones; absent: none was. */
  dispositions_done?: string[];
  /** The job that made it by its lease, and the hash of the key that came with it (rule TE5). */
  job?: { id: string; key_hash: string | null };
};

export type UploadOpening = { id: string; artifact_id: string; org_id: string; begun_at: string };
export type AbandonReason = 'broken_off' | 'refused' | 'too_old' | 'stored_before';

/**
 * An artifact and the uploads that made it or tried to. Each piece is named before it is put, so that none is left
 * behind (rule TE3).
 */
export const artifactEvents = defineEvents({
  UploadBegun: event<{ upload: UploadOpening; piece: Piece | null }>(1, {}, { since: 'artifacts' }),
  PieceNamed: event<{ upload_id: string; piece: Piece }>(1, {}, { since: 'artifacts' }),
  UploadAbandoned: event<{ upload_id: string; artifact_id: string; org_id: string; reason: AbandonReason; at: string }>(
    1,
    {},
    { since: 'artifacts' },
  ),
  ArtifactStored: event<{ artifact: ArtifactRecord; upload_id: string }>(1, {}, { since: 'artifacts' }),
  CustodyChanged: event<{ artifact: ArtifactRecord }>(1, {}, { since: 'ownership' }),
  ConversionBegun: event<{ conversion_id: string; at: string }>(1, {}, { since: 'artifacts' }),
  /** The text is a piece like those of uploads, and goes as they do. */
  TextNamed: event<{ conversion_id: string; piece: Piece; at: string }>(1, {}, { since: 'artifacts' }),
  ArtifactConverted: event<{ artifact: ArtifactRecord; conversion_id: string }>(1, {}, { since: 'artifacts' }),
  ArtifactDeleted: event<{ artifact: ArtifactRecord }>(1, {}, { since: 'artifacts' }),
  ArtifactErased: event<{ upload_ids: string[]; at: string }>(1, {}, { since: 'artifacts' }),
});
export type ArtifactEvent = EventOf<typeof artifactEvents>;
