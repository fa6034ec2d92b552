import { notFound } from '@aos/kernel';
import type { SessionState } from '@aos/sessions/published';
import type { ArtifactRecord } from './artifact.events.js';

/** Whose a session's file is: the session's, and held by its agent (rule TE8). */
export function sessionCustody({
  opening,
}: SessionState): Pick<ArtifactRecord, 'owner' | 'visibility' | 'container' | 'session_id'> {
  if (!opening) throw notFound('session');
  const { id, agent_id: agentId, owner, visibility } = opening;
  return { owner, visibility, container: { kind: 'agent', id: agentId }, session_id: id };
}
