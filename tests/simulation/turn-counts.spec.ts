import { agentId, identity } from './replica.js';
import { calm } from './shared.js';
import { World } from './world.js';

const restMs = 5_000;

interface Counts {
  appends: number;
  reads: number;
}

/** One process whose calls to the log for sessions are counted. */
function counted(soleWriter: boolean) {
  const world = new World({ seed: 1, replicas: 1, faults: calm, soleWriter });
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
