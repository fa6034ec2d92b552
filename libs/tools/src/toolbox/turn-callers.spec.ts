import { MemoryEventStore } from '@aos/adapters/memory';
import type { Viewer } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { memoryDecisions } from '@aos/platform/testing';
import type { ActivePrincipals } from '@aos/access/published';
import type { ActAsConsents } from '@aos/routines/published';
import type { ToolContext } from '@aos/sessions/published';
import { TurnCallers } from './turn-callers.js';

const people: Record<string, Viewer['kind']> = { user_ann: 'human', svc_1: 'service' };
const principals = {
  find: (orgId: string, principalId: string) =>
    Promise.resolve(
      principalId in people ? { orgId, principalId, kind: people[principalId], permissions: new Set() } : null,
    ),
} as unknown as ActivePrincipals;
const consents = {
  covers: (_orgId: string, asked: { occurrenceId: string; personId: string; provider: string }) =>
    Promise.resolve(asked.occurrenceId === 'occ_1' && asked.personId === 'user_ann' && asked.provider === 'crm'),
} as unknown as ActAsConsents;

async function person(input: object, { provider = 'crm', nudgedBy = '' } = {}): Promise<string | null> {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock, soleWriter: false });
  if (nudgedBy !== '') {
    const data = { nudge: { turn: { id: 'turn_1' }, sender_principal_id: nudgedBy } };
    await store.append('session-ses_1', 'none', [{ id: 'e1', type: 'NudgeDelivered', data, meta: {} }]);
  }
  const callers = new TurnCallers(principals, memoryDecisions({ store, clock }), consents);
  const turn = { turn: { id: 'turn_1' }, input: { resume_revision: -1, principal_id: 'user_ann', ...input } };
  return callers.person({ orgId: 'org_1', sessionId: 'ses_1', turn } as unknown as ToolContext, provider);
}

describe('whose accounts a turn may use (rule TE24)', () => {
  it('are those of the person who sent its input, until another one nudges it', async () => {
    expect(await person({ origin: 'input' })).toBe('user_ann');
    expect(await person({ origin: 'nudge' })).toBe('user_ann');
    expect(await person({ origin: 'input' }, { nudgedBy: 'user_ann' })).toBe('user_ann');
    expect(await person({ origin: 'input' }, { nudgedBy: 'user_bob' })).toBeNull();
  });

  it('are those of the person whom a routine runs as, at the providers that the person named', async () => {
    const run = { origin: 'routine', occurrence_id: 'occ_1' };
    expect(await person(run)).toBe('user_ann');
    expect(await person(run, { provider: 'mail' })).toBeNull();
    expect(await person({ ...run, occurrence_id: 'occ_2' })).toBeNull();
    expect(await person({ origin: 'routine' })).toBeNull();
    expect(await person(run, { nudgedBy: 'user_bob' })).toBeNull();
  });

  it('are no one’s in any other turn, nor of software or of a person who is gone', async () => {
    expect(await person({ origin: 'outcome' })).toBeNull();
    expect(await person({ origin: 'messaging' })).toBeNull();
    expect(await person({ origin: 'input', principal_id: 'svc_1' })).toBeNull();
    expect(await person({ origin: 'input', principal_id: 'user_gone' })).toBeNull();
  });
});
