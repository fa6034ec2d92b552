import { fold } from '@aos/kernel';
import type { SessionEvent, SessionOpening } from '../session/session.events.js';
import { openDirectTurn, sessionKind, type SessionState } from '../session/session.state.js';
import { claimTurn } from '../turn/run.decide.js';
import { nextToRun } from '../session/open-turns.state.js';
import {
  isRunSessionKey,
  isSessionOfRuns,
  runSessionKeys,
  startRoutineTurn,
  type StartRoutineTurn,
} from './routine-turns.decide.js';

const opening: SessionOpening = {
  id: 'ses_00000000000000000000000001',
  org_id: 'org_1',
  agent_id: 'agent_1',
  session_key: 'rtn_1',
  owner: { kind: 'team', id: null },
  visibility: 'organization',
  title: '',
  origin: 'routine',
  compaction_policy: { strategy: 'auto' },
  created_by: 'svc_1',
  created_at: '2026-01-01T00:00:00.000Z',
};
const command = (occurrenceId: string, more: Partial<StartRoutineTurn> = {}): StartRoutineTurn => ({
  now: '2026-01-01T00:00:00.000Z',
  open: opening,
  isAgentActive: true,
  timeoutSeconds: 600,
  occurrenceId,
  routineName: 'Daily',
  instructions: [{ type: 'text', text: 'Look' }],
  event: null,
  metadata: { routine_id: 'rtn_1' },
  principalId: 'svc_1',
  principalKind: 'service',
  principalPermissions: ['svc.resource.use', 'svc.resource.view'],
  ...more,
});
const after = (...past: SessionEvent[][]): [SessionState, number] => {
  const events = past.flat();
  return [fold(sessionKind, structuredClone(events)), events.length - 1];
};

describe('the turn of a run', () => {
  it("opens the session, queues behind nothing, and bears the routine's name", () => {
    const events = startRoutineTurn(
      command('occ_1', { event: [{ type: 'reminder', name: 'event', content: '{}' }] }),
      ...after(),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'SessionOpened',
      'MessageAppended',
      'TurnQueued',
      'MessageAppended',
    ]);
    const [state] = after(events);
    const next = nextToRun(state);
    expect(next?.turn).toMatchObject({ routine_name: 'Daily', status: 'queued', seq: 0 });
    expect(next?.input.principal_permissions).toEqual(['svc.resource.use', 'svc.resource.view']);
    expect([next?.nextIndex, next?.input.occurrence_id, next?.input.direct, state.sequence]).toEqual([
      2,
      'occ_1',
      false,
      2,
    ]);
    expect(openDirectTurn(state)).toBeNull();
  });

  it('is queued once, also after its end', () => {
    const first = startRoutineTurn(command('occ_1'), ...after());
    expect(startRoutineTurn(command('occ_1'), ...after(first))).toEqual([]);
    const { turn } = (first[2] as Extract<SessionEvent, { type: 'TurnQueued' }>).data;
    const ended: SessionEvent[] = [
      { type: 'TurnCancelled', data: { turn: { ...turn, status: 'cancelled', phase: null }, reason: 'requested' } },
    ];
    expect(startRoutineTurn(command('occ_1'), ...after(first, ended))).toEqual([]);
  });

  it('rule A34: goes on in a session that a run with the same owner opened, and in no other', () => {
    const at = (more: Partial<SessionOpening>): SessionState =>
      after([{ type: 'SessionOpened', data: { session: { ...opening, ...more } } }])[0];
    const ann = { principalId: 'user_1', kind: 'human' as const };
    const software = { principalId: 'svc_2', kind: 'service' as const };
    const anns = at({ owner: { kind: 'person', id: 'user_1' }, visibility: 'private' });
    expect([
      isSessionOfRuns(anns, ann),
      isSessionOfRuns(anns, { ...ann, principalId: 'user_2' }),
      isSessionOfRuns(anns, software),
    ]).toEqual([true, false, false]);
    expect([
      isSessionOfRuns(at({}), software),
      isSessionOfRuns(at({}), ann),
      isSessionOfRuns(at({ origin: 'api' }), software),
    ]).toEqual([true, false, false]);
    const keys = runSessionKeys('rtn_1', 'user_1');
    expect([...keys, 'rtn_12', 'rtn', null].map((key) => isRunSessionKey(key, 'rtn_1'))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('waits for the one before it', () => {
    const first = startRoutineTurn(command('occ_1'), ...after());
    const second = startRoutineTurn(command('occ_2', { event: [{ type: 'text', text: 'e' }] }), ...after(first));
    const [state] = after(first, second);
    expect(nextToRun(state)?.ordinal).toBe(0);
    expect(
      claimTurn(
        {
          turnId: (second[1] as Extract<SessionEvent, { type: 'TurnQueued' }>).data.turn.id,
          runner: 'r',
          now: '',
          takeover: null,
        },
        state,
      ),
    ).toEqual([]);
    expect(
      second.flatMap((event) =>
        event.type === 'MessageAppended' ? [[event.data.row.sequence, event.data.row.turn_index]] : [],
      ),
    ).toEqual([
      [2, 0],
      [3, 1],
    ]);
  });

  it('needs an active agent and a session that is there', () => {
    const code = (run: () => unknown): unknown => {
      try {
        return run();
      } catch (error) {
        return (error as { code?: string }).code;
      }
    };
    expect(code(() => startRoutineTurn(command('occ_1', { isAgentActive: false }), ...after()))).toBe('agent_inactive');
    expect(code(() => startRoutineTurn(command('occ_1', { open: null }), ...after()))).toBe('not_found');
    const first = startRoutineTurn(command('occ_1'), ...after());
    expect(
      code(() => startRoutineTurn(command('occ_2'), ...after(first, [{ type: 'SessionDeleted', data: { at: '' } }]))),
    ).toBe('not_found');
  });
});
