import { sessionIdFor } from '@aos/kernel';
import { agentId, identity } from './replica.js';
import { calm } from './shared.js';
import { World } from './world.js';

const restMs = 5_000;

interface Counts {
  appends: number;
  reads: number;
}

/** One process whose calls to the log for sessions are counted. */
function counted(soleWriter: boolean, { busIsCut = false } = {}) {
  const world = new World({ seed: 1, replicas: 1, faults: calm, soleWriter });
  world.shared.busIsCut = busIsCut;
  const [replica] = world.replicas;
  if (!replica) throw new Error('a world without a process');
  const { log, scheduler } = world.shared;
  const append = jest.spyOn(log, 'append');
  const read = jest.spyOn(log, 'read');
  const ofSessions = ({ mock }: { mock: { calls: [stream: string, ...rest: unknown[]][] } }) =>
    mock.calls.filter(([stream]) => stream.startsWith('session-')).length;
  return {
    /** Calls of one turn from its request to its end. */
    async turn(text: string, session: { session_key?: string; mode?: 'new' }): Promise<Counts> {
      await scheduler.runFor(restMs);
      append.mockClear();
      read.mockClear();
      const started = replica.invoke(identity('req'), {
        agent_ref: { id: agentId },
        session,
        input: { content: [{ type: 'text', text }] },
      });
      await scheduler.runFor(restMs);
      await (await started).acknowledge();
      return { appends: ofSessions(append), reads: ofSessions(read) };
    },
  };
}

const counts = (appends: number, reads: number): Counts => ({ appends, reads });

/** Fewer are better: then the table follows. */
const table = [
  {
    where: 'one process',
    soleWriter: true,
    inNew: counts(2, 0),
    firstOfKey: counts(2, 1),
    inKnown: counts(2, 0),
    withTool: counts(4, 0),
  },
  {
    where: 'a process of a fleet',
    soleWriter: false,
    inNew: counts(2, 0),
    firstOfKey: counts(2, 2),
    inKnown: counts(2, 1),
    withTool: counts(4, 1),
  },
];

describe.each(table)(
  'calls to the log of one turn in $where',
  ({ soleWriter, inNew, firstOfKey, inKnown, withTool }) => {
    it('are as few as the table says', async () => {
      const { turn } = counted(soleWriter);
      const seen = [
        await turn('hello', { mode: 'new' }),
        await turn('hello', { session_key: 'k' }),
        await turn('hello', { session_key: 'k' }),
        await turn('plan=echo', { session_key: 'k' }),
      ];
      expect(seen).toEqual([inNew, firstOfKey, inKnown, withTool]);
    });
  },
);

/** Looks of a turn with a tool: before model, tool and model, at its end, and for the session's next turn. */
const looksWithTool = 5;

it('rule TP24: a process of a fleet looks at the stream before every step while the bus is cut', async () => {
  const [whole, cut] = [counted(false), counted(false, { busIsCut: true })];
  const seen = async ({ turn }: ReturnType<typeof counted>) => {
    await turn('hello', { session_key: 'k' });
    return turn('plan=echo', { session_key: 'k' });
  };
  const [trusting, looking] = [await seen(whole), await seen(cut)];
  expect(looking.appends).toBe(trusting.appends);
  expect(looking.reads - trusting.reads).toBe(looksWithTool);
});

const sessions = 12;
const turns = 480;

/** Calls of turns in sessions that are in use, each sent to its session's owner, for one turn. */
async function countedWith(replicas: number) {
  const world = new World({ seed: 1, replicas, faults: calm, routing: 'owner' });
  const { log, scheduler } = world.shared;
  await scheduler.runFor(20_000); // every member has its whole weight
  const invoke = async (turn: number) => {
    const key = `key-${turn % sessions}`;
    const [owner] = world.doors[0]?.order(sessionIdFor('salt', agentId, key, 0)) ?? [];
    const replica = world.replicas.find(({ place }) => place.name === owner);
    if (!replica) throw new Error('no owner is known');
    const started = replica.invoke(identity(`req_${turn}`), {
      agent_ref: { id: agentId },
      session: { session_key: key },
      input: { content: [{ type: 'text', text: turn % 2 ? 'hello' : 'plan=echo' }] },
    });
    await scheduler.runFor(restMs);
    await (await started).acknowledge();
  };
  for (let turn = 0; turn < sessions; turn += 1) await invoke(turn);
  const [append, read] = [jest.spyOn(log, 'append'), jest.spyOn(log, 'read')];
  for (let turn = sessions; turn < sessions + turns; turn += 1) await invoke(turn);
  return { appends: append.mock.calls.length / turns, reads: read.mock.calls.length / turns };
}

it('rule TP33: the calls to the log of a turn do not depend on how many replicas there are', async () => {
  const alone = await countedWith(1);
  for (const replicas of [4, 16]) {
    const { appends, reads } = await countedWith(replicas);
    expect(appends).toBe(alone.appends);
    expect(Math.abs(reads / alone.reads - 1)).toBeLessThanOrEqual(0.02);
  }
});
