import { Injectable } from '@nestjs/common';
import { Clock, ReadStore, Refusal, idPart, rfc3339, type QueryCursor } from '@aos/kernel';
import { Decisions, serviceActor } from '@aos/platform';
import { systemPrincipalId } from '@aos/access/published';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { artifactRows } from '../artifact/artifact.projection.js';
import { artifactKind, live } from '../artifact/artifact.state.js';
import { artifactDecider } from '../artifact.decider.js';
import { ArtifactDirectory } from '../reading/artifact-directory.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';

const pageRows = 100;
/** How long a row that its projection has not put yet is waited for, before the event is given again. */
const lookEveryMs = 50;
const looksMax = 40;

/**
 * The files of sessions that are over. Every step can be taken twice.
 *
 * Promises: a file that was stored before its session's end in the log is found by its row, because `stored` returns
 * only once that is there.
 */
@Injectable()
export class SessionFiles {
  constructor(
    private readonly decisions: Decisions,
    private readonly readStore: ReadStore,
    private readonly directory: ArtifactDirectory,
    private readonly cleanup: ArtifactCleanup,
    private readonly clock: Clock,
  ) {}

  /** Deletes the files of a session. */
  async deleteAll(orgId: string, sessionId: string): Promise<void> {
    let after: QueryCursor | null = null;
    do {
      const page: Awaited<ReturnType<typeof artifactRows.query>> = await artifactRows.query(this.readStore, {
        scope: [orgId],
        where: [{ index: 'session', eq: sessionId }],
        orderBy: { index: 'created', direction: 'asc' },
        limit: pageRows,
        ...(after && { after }),
      });
      for (const { key } of page.rows) await this.delete(orgId, key);
      after = page.next;
    } while (after);
  }

  /** A file was stored: it goes at once when its session is over, else its row is there on return. */
  async stored(record: ArtifactRecord): Promise<void> {
    const { id, org_id: orgId, session_id: sessionId } = record;
    if (sessionId === null) return;
    if (!(await this.directory.hasLiveSession(record))) return this.delete(orgId, id);
    for (let look = 0; look < looksMax; look += 1) {
      if (await artifactRows.get(this.readStore, [orgId], id)) return;
      const { state } = await this.decisions.load(artifactKind, idPart(id));
      if (!live(state)) return;
      await this.clock.sleep(lookEveryMs);
    }
    throw new Error(`${id} has no row yet`);
  }

  private async delete(orgId: string, artifactId: string): Promise<void> {
    const by = systemPrincipalId(orgId);
    const actor = serviceActor(orgId, by, `session-files-${artifactId}`);
    const command = { at: rfc3339(this.clock.now()), by };
    try {
      await this.decisions.decide(artifactDecider.deleteArtifact, idPart(artifactId), actor, command);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'not_found')) throw error; // it is gone
    }
    await this.cleanup.cleanOrLeave(orgId, artifactId);
  }
}
