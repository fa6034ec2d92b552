import { MemoryEventStore } from '@aos/adapters/memory';
import type { Identity } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { actorOf } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import type { SessionTarget, SessionTargets } from '../reading/session-targets.js';
import type { SessionOpening } from '../session/session.events.js';
import type { SessionDirectory } from '../reading/session-directory.js';
import type { TurnQueue } from '../running/turn-queue.js';
import { sessionDecider } from '../session.decider.js';
import { sessionKind } from '../session/session.state.js';
import { CancelSession, CancelSessionHandler, CreateSession, CreateSessionHandler } from './lifecycle.handlers.js';

const sessionId = 'ses_00000000000000000000000001';
const who = { orgId: 'org_1', principalId: 'svc_1', kind: 'service', permissions: new Set() } as unknown as Identity;
const opening = {
  id: sessionId,
  org_id: 'org_1',
  agent_id: 'agent_1',
  session_key: sessionId,
  owner: { kind: 'team', id: null },
  visibility: 'organization',
  title: '',
  origin: 'api',
  compaction_policy: {},
  created_by: 'svc_1',
  created_at: '2026-01-01T00:00:00.000Z',
} as unknown as SessionOpening;

/** Reads of the log while a session is created under the id. */
async function readsOfCreating(isNew: boolean): Promise<number> {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock, soleWriter: false });
  const read = jest.spyOn(store, 'read');
  const decisions = memoryDecisions({ store, clock });
  const target: SessionTarget = { sessionId, open: opening, isNew };
  const targets = {
    agent: () => Promise.resolve({ standing: 'active' }),
    resolving: (_who: Identity, _agent: unknown, _spec: unknown, write: (at: SessionTarget) => Promise<unknown>) =>
      write(target),
  } as unknown as SessionTargets;
  const handler = new CreateSessionHandler(decisions, targets, clock);
  const created = await handler.execute(new CreateSession(who, { body: { agent_id: 'agent_1' } }));
  expect(created.id).toBe(sessionId);
  return read.mock.calls.length;
}

describe('creating a session', () => {
  it('looks for no stream under an id that was made just now', async () => {
    expect(await readsOfCreating(true)).toBe(0);
  });

  it('looks for the stream of a key', async () => {
    expect(await readsOfCreating(false)).toBe(1);
  });
});

describe('cancelling a session', () => {
  it('SES28: cancels as many turns as a session may have, though their ends do not fit in one append', async () => {
    const clock = new ManualClock();
    const decisions = memoryDecisions({ store: new MemoryEventStore({ clock, soleWriter: false }), clock });
    for (let run = 0; run < 1000; run += 1) {
      await decisions.decide(sessionDecider.startRoutineTurn, sessionId, actorOf(who), {
        now: opening.created_at,
        open: opening,
        isAgentActive: true,
        timeoutSeconds: 600,
        occurrenceId: `occ_${run}`,
        routineName: '😀'.repeat(127),
        instructions: [],
        event: null,
        metadata: {},
        principalId: 'svc_1',
        principalKind: 'service',
        principalPermissions: [],
      });
    }
    const visible = async () => decisions.load(sessionKind, sessionId);
    const directory = { visible } as unknown as SessionDirectory;
    const queue = { next: jest.fn() } as unknown as TurnQueue;
    const handler = new CancelSessionHandler(decisions, directory, queue, clock);
    await handler.execute(new CancelSession(who, { session_id: sessionId }));
    expect((await visible()).state.open.size).toBe(0);
  });
});
