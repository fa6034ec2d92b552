import { defineEvents, event, type EventOf } from './events.js';
import { Refusal } from './refusal.js';
import { asPreviousReads, type NewMember } from './releases.js';

const events = defineEvents({
  TurnClaimed: event<{ turn: { id: string; agent_version?: number }; epoch: number }>(1),
  TurnPinned: event<{ version: number }>(1, {}, { since: 'pin' }),
});
type Declared = EventOf<typeof events>;
const kind = { category: 'session', events };
const claimed: Declared = { type: 'TurnClaimed', data: { turn: { id: 'turn_1', agent_version: 3 }, epoch: 1 } };
const leftOut: NewMember = { event: 'session/TurnClaimed', path: ['turn', 'agent_version'] };

function refusalOf(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('what the release before reads (rule VER7)', () => {
  it('is refused for an event of this release, with its feature', () => {
    const refusal = refusalOf(() => asPreviousReads(kind, [claimed, { type: 'TurnPinned', data: { version: 2 } }]));
    expect([refusal.code, refusal.status, refusal.details]).toEqual(['upgrade_pending', 409, { feature: 'pin' }]);
  });

  it('is an event without the member that it would obey wrongly; what was decided stays as it was', () => {
    const [written] = asPreviousReads(kind, [claimed], [leftOut]);
    expect(written).toEqual({ type: 'TurnClaimed', data: { turn: { id: 'turn_1' }, epoch: 1 } });
    expect(claimed.data).toEqual({ turn: { id: 'turn_1', agent_version: 3 }, epoch: 1 });
  });

  it('is refused for a member that an operation cannot do without', () => {
    const members = [{ ...leftOut, feature: 'pin' }];
    expect(refusalOf(() => asPreviousReads(kind, [claimed], members)).details).toEqual({ feature: 'pin' });
  });

  it('is the very event where it has no such member, or the member is of another stream', () => {
    const plain: Declared = { type: 'TurnClaimed', data: { turn: { id: 'turn_1' }, epoch: 1 } };
    expect(asPreviousReads(kind, [plain], [leftOut])[0]).toBe(plain);
    expect(asPreviousReads({ ...kind, category: 'other' }, [claimed], [leftOut])[0]).toBe(claimed);
    expect(asPreviousReads(kind, [claimed], [{ event: leftOut.event, path: ['turn', 'id', 'deeper'] }])[0]).toBe(
      claimed,
    );
  });
});
