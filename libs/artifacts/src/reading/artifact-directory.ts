import { Injectable } from '@nestjs/common';
import { Clock, idPart, looksLikeId, notFound, type Identity } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { canSee } from '@aos/definitions/published';
import { SessionDirectory, isExpired, sessionKind, type SessionState } from '@aos/sessions/published';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { artifactKind, live, type ArtifactState } from '../artifact/artifact.state.js';
import type { Custody } from '../artifact/artifact.wire.js';

export interface FoundArtifact {
  state: ArtifactState;
  record: ArtifactRecord;
  custody: Custody;
}

/** Finds artifacts within a caller's reach; a session's file by the session (rules A30, X2). */
@Injectable()
export class ArtifactDirectory {
  constructor(
    private readonly decisions: Decisions,
    private readonly sessions: SessionDirectory,
    private readonly clock: Clock,
  ) {}

  /** The live artifact within a caller's reach, or 404. */
  async visible(who: Identity, artifactId: string): Promise<FoundArtifact> {
    const state = await this.known(artifactId);
    const record = live(state);
    const custody = record && (await this.custody(who, record));
    if (!record || !custody) throw notFound('artifact');
    return { state, record, custody };
  }

  /** As `visible`, asked. */
  async isVisible(who: Identity, artifactId: string): Promise<boolean> {
    const record = live(await this.known(artifactId));
    return record !== null && (await this.custody(who, record)) !== null;
  }

  /** Null: the artifact is out of the caller's reach. */
  async custody(who: Identity, record: ArtifactRecord): Promise<Custody | null> {
    if (record.org_id !== who.orgId) return null;
    if (record.session_id === null) {
      // a browser token reaches sessions only (rule A38)
      const isSeen = !who.token && canSee({ ...record, members: [] }, who);
      return isSeen ? { owner: record.owner, visibility: record.visibility } : null;
    }
    if (!(await this.sessions.isVisible(who, record.session_id, this.clock.now()))) return null;
    const { state } = await this.sessions.visible(who, record.session_id, this.clock.now());
    return custodyOfSession(state);
  }

  /** The artifact of an organization, whether it is within reach or not; null for an unknown one. */
  async find(orgId: string, artifactId: string): Promise<ArtifactState | null> {
    const state = await this.known(artifactId);
    return state.record?.org_id === orgId ? state : null;
  }

  /** Whether a file's session is neither deleted nor expired; true for a file of no session. */
  async hasLiveSession({ session_id: sessionId }: ArtifactRecord): Promise<boolean> {
    if (sessionId === null) return true;
    const { state } = await this.decisions.load(sessionKind, sessionId);
    return state.opening !== null && state.status !== 'deleted' && !isExpired(state, this.clock.now());
  }

  private async known(artifactId: string): Promise<ArtifactState> {
    if (!looksLikeId('art', artifactId)) return artifactKind.initial();
    const { state, revision } = await this.decisions.load(artifactKind, idPart(artifactId));
    if (revision < 0) this.decisions.forget(artifactKind, idPart(artifactId)); // an unknown id takes no room
    return state;
  }
}

/** A session's file has the session's owner and visibility. */
function custodyOfSession({ opening }: SessionState): Custody | null {
  return opening && { owner: opening.owner, visibility: opening.visibility };
}
