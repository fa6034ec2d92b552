import { MemoryEventStore } from '@aos/adapters/memory';
import { rfc3339, type Identity } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { actorOf } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import type { OrganizationSalts } from '@aos/access/published';
import type { AgentDirectory } from '@aos/definitions/published';
import { sessionDecider } from '../session.decider.js';
import { sessionKind } from '../session/session.state.js';
import { openingOf } from '../testing/session.fixture.js';
import { SessionDirectory } from './session-directory.js';

const hourMs = 3_600_000;
const id = 'ses_00000000000000000000000001';
const who = { orgId: 'org_a', principalId: 'svc_a', kind: 'service', permissions: new Set() } as unknown as Identity;

describe('a session whose key is its own id', () => {
  it('is what the key means until its time is past; then the key is free (rules S3, S5, S42)', async () => {
    const clock = new ManualClock();
    const decisions = memoryDecisions({ store: new MemoryEventStore({ clock }), clock });
    const salts = { of: () => Promise.resolve('salt') } as unknown as OrganizationSalts;
    const directory = new SessionDirectory(decisions, salts, {} as unknown as AgentDirectory);
    const now = rfc3339(clock.now());
    const open = openingOf({ id, session_key: id, retention: { mode: 'bounded', ttl_seconds: 3600 }, created_at: now });
    const command = { open, now, reactivates: true, agentStatus: 'active' };
    await decisions.decide(sessionDecider.openSession, id, actorOf(who), command);
    clock.advance(hourMs - 1);
    expect(await directory.resolve(who, 'agent_a', id, clock.now())).toMatchObject({ live: { sessionId: id } });
    clock.advance(1);
    const resolved = await directory.resolve(who, 'agent_a', id, clock.now());
    expect(resolved).toMatchObject({ live: null });
    expect(resolved.sessionId).not.toBe(id);
    expect((await decisions.load(sessionKind, id)).state.status).toBe('deleted');
  });
});
