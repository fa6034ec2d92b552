import { MemoryLiveBus } from '@aos/adapters/memory';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { SessionWatches } from '../live/session-watches.js';
import { TurnLost } from '../turn/run.decide.js';
import { TurnRun, type ClaimUse, type TurnClaim } from './turn-run.js';

const channel = 'ring:session-ses_a';
const claim = {
  reference: { orgId: 'org_1', sessionId: 'ses_a', turnId: 'turn_a', takeover: null },
  open: { epoch: 1, activeMs: 0, pending: [], turn: { effective_timeout_seconds: 60 } },
  claimedAt: 5,
} as unknown as TurnClaim;

let clock: ManualClock;
/** A bus that a test breaks. */
class BreakingBus extends MemoryLiveBus {
  tell: (healthy: boolean) => void = () => undefined;

  override onHealth(listener: (healthy: boolean) => void): void {
    this.tell = (healthy) => {
      listener(healthy);
    };
  }
}

let bus: BreakingBus;
let run: TurnRun;
let asked: number[];
let appendedAt: number;
let isLost: boolean;
let duringAppend: () => void;
let begin: (claim: TurnClaim) => TurnRun;

beforeEach(() => {
  clock = new ManualClock();
  bus = new BreakingBus({ clock, onTrouble: () => undefined });
  asked = [];
  isLost = false;
  duringAppend = () => undefined;
  const use: ClaimUse = {
    append: async () => {
      duringAppend();
      return { events: [], revision: appendedAt };
    },
    renew: async () => undefined,
    requireOwned: async (_claim, revision) => {
      asked.push(revision);
      if (isLost) throw new TurnLost('turn_a');
    },
  };
  const watches = new SessionWatches(bus, clock);
  begin = (of) => new TurnRun(of, use, bus, watches, clock, () => undefined);
  run = begin(claim);
});
afterEach(async () => {
  run.close();
  await bus.close();
});

const commit = (revision: number) => {
  appendedAt = revision;
  return run.commit({} as never, {} as never);
};
const told = async (message: number | null) => {
  const before = asked.length;
  bus.publish(channel, message);
  await eventually('it is heard', () => asked.length > before);
};

describe('rule TP24: a step of a turn', () => {
  it('rests on the append of its own run right before it, and on nothing older', async () => {
    expect(run.restsOn).toBe(5);
    run.looked(5);
    expect(run.restsOn).toBeUndefined(); // the step made no append: it waited, or was tried again
    await commit(6);
    expect(run.restsOn).toBe(6);
  });

  it('looks at the stream first when a notification named a higher revision', async () => {
    await commit(6);
    await told(8);
    expect(run.restsOn).toBe(8);
    await told(7);
    expect(run.restsOn).toBe(8);
    run.looked(8);
    await commit(9);
    expect(run.restsOn).toBe(9);
  });

  it('looks at the end when a notification named none, once', async () => {
    await told(null);
    expect(run.restsOn).toBe(Infinity);
    run.looked(5);
    await commit(6);
    expect(run.restsOn).toBe(6);
  });

  it('looks at the end while the bus is not healthy', async () => {
    await commit(6);
    const cut = jest.replaceProperty(bus, 'healthy', false);
    expect(run.restsOn).toBeUndefined();
    cut.restore();
    expect(run.restsOn).toBe(6);
  });

  it('looks at the end when the bus broke since the append before it began, whole again or not', async () => {
    for (const healthy of [[false, true], [true]]) {
      duringAppend = () => {
        healthy.forEach(bus.tell);
      };
      await commit(6);
      expect(run.restsOn).toBeUndefined();
      run.looked(6);
    }
    duringAppend = () => undefined;
    await commit(7);
    expect(run.restsOn).toBe(7);
    bus.tell(true);
    expect(run.restsOn).toBeUndefined();
  });

  it('looks at the end before calls leave that an earlier run named', () => {
    const named = { call: { tool_call_id: 'toolu_1' }, outcome: null };
    const taken = begin({ ...claim, open: { ...claim.open, pending: [named] } } as unknown as TurnClaim);
    expect(taken.restsOn).toBeUndefined();
    taken.close();
  });

  it('looks at the end after a wait within it, and ends there when the turn is lost', async () => {
    await run.lookAgain();
    expect(asked).toEqual([Infinity]);
    isLost = true;
    await expect(run.lookAgain()).rejects.toBeInstanceOf(TurnLost);
  });
});
