import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { Refusal, derivedId, idPart, invalidArgument, looksLikeId, notFound, type Identity } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import { sessionKind } from '@aos/sessions/published';
import { artifactKind, live, storedUpload } from '../artifact/artifact.state.js';
import { artifactWire } from '../artifact/artifact.wire.js';
import { newArtifact } from '../artifact/new-artifact.js';
import { sessionCustody } from '../artifact/session-custody.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { artifactForm, uploadFields } from '../uploading/form-fields.js';
import { Uploads } from '../uploading/uploads.js';

/** Bytes that an agent saves in one call, as much as a call may say (rule L18), and reads in one. */
export const savedBytesMax = 1024 * 1024;
export const readBytesMax = 256 * 1024;

/** A session that an agent is in: reach was judged when its turn began. */
export interface AgentSession {
  who: Identity;
  sessionId: string;
}

export interface SavedFile {
  /** The same for every attempt of the call. */
  deliveryId: string;
  name: string;
  mime: string | null;
  bytes: Buffer;
}

export interface ReadFile {
  artifact: Schema<'Artifact'>;
  bytes: Buffer;
}

/** Files of one session as its agent works on them (rule TE9). */
@Injectable()
export class AgentFiles {
  constructor(
    private readonly uploads: Uploads,
    private readonly decisions: Decisions,
    private readonly bytes: ArtifactBytes,
    private readonly salts: OrganizationSalts,
  ) {}

  /**
   * Stores a file; the same call again gives the same one.
   *
   * Refuses  bad_request for a name or type out of its form; payload_too_large {limit_bytes}; what `Uploads.save`
   *          refuses.
   */
  async save(
    { who, sessionId }: AgentSession,
    { deliveryId, name, mime, bytes }: SavedFile,
  ): Promise<Schema<'Artifact'>> {
    if (bytes.length > savedBytesMax)
      throw new Refusal('payload_too_large', { limit_bytes: savedBytesMax }, `over ${savedBytesMax} bytes`);
    const said = new Map([['name', name], ...(mime === null ? [] : [['mime', mime] as const])]);
    const { mimeType } = uploadFields({ fields: said, filename: null, partType: null }, artifactForm);
    const custody = sessionCustody((await this.decisions.load(sessionKind, sessionId)).state);
    const id = derivedId('art', await this.salts.of(who.orgId), ['delivery', deliveryId]);
    const { record } = await this.uploads.save({
      who,
      artifactId: id,
      bytes,
      record: (received) =>
        newArtifact({ id, org_id: who.orgId, ...custody, name, mime_type: mimeType }, received, who.principalId),
    });
    return artifactWire(record, custody, who);
  }

  /**
   * A part of a file of the session; fewer bytes at its end.
   *
   * Refuses  not_found, also for a file of another session; invalid_argument {argument: offset} behind its end;
   *          artifact_storage_unavailable.
   */
  async read(
    { who, sessionId }: AgentSession,
    artifactId: string,
    { offset, length }: { offset: number; length: number },
  ): Promise<ReadFile> {
    if (!looksLikeId('art', artifactId)) throw notFound('artifact');
    const { state, revision } = await this.decisions.load(artifactKind, idPart(artifactId));
    if (revision < 0) this.decisions.forget(artifactKind, idPart(artifactId)); // an unknown id takes no room
    const record = live(state);
    const upload = storedUpload(state);
    if (record?.org_id !== who.orgId || record.session_id !== sessionId || !upload) throw notFound('artifact');
    if (offset > record.size_bytes) throw invalidArgument('offset', `the file has ${record.size_bytes} bytes`);
    const to = Math.min(offset + Math.min(length, readBytesMax), record.size_bytes) - 1;
    const parts: Buffer[] = [];
    if (to >= offset)
      for await (const part of this.bytes.read(who.orgId, upload.pieces, { from: offset, to })) parts.push(part);
    const session = (await this.decisions.load(sessionKind, sessionId)).state;
    return { artifact: artifactWire(record, sessionCustody(session), who), bytes: Buffer.concat(parts) };
  }
}
