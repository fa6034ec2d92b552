import { fold } from '@aos/kernel';
import type { SessionEvent, SessionOpening } from '../session/session.events.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import type { StartTurn } from '../turn/start.decide.js';

export const now = '2026-01-01T00:00:00.000Z';
export const sessionId = 'ses_0000000000000000000000000a';

/** The opening of a session that everyone of the organization may see. */
export function openingOf(given: Partial<SessionOpening> = {}): SessionOpening {
  return {
    id: sessionId,
    org_id: 'org_a',
    agent_id: 'agent_a',
    session_key: 'k',
    owner: { kind: 'team', id: null },
    visibility: 'organization',
    title: '',
    origin: 'api',
    compaction_policy: { strategy: 'auto', threshold: 'sm' },
    created_by: 'svc_a',
    created_at: now,
    ...given,
  };
}

/** A turn that a service asks for by one text, in a session that it opens. */
export function startOf(given: Partial<StartTurn> = {}): StartTurn {
  return {
    now,
    open: openingOf(),
    reactivates: true,
    agent: { status: 'active', timeoutSeconds: 0 },
    idempotencyKey: null,
    content: [{ type: 'text', text: 'hi' }],
    metadata: null,
    context: [],
    operationTimeoutSeconds: null,
    outputSchema: null,
    principalId: 'svc_a',
    principalKind: 'service',
    ...given,
  };
}

/** Decides on the state of a past, and gives past and new events together. */
export function after(
  past: readonly SessionEvent[],
  decide: (state: SessionState, revision: number) => SessionEvent[],
): SessionEvent[] {
  return [...past, ...decide(fold(sessionKind, structuredClone([...past])), past.length - 1)];
}
