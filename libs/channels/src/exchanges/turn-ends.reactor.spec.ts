import type { RecordedEvent } from '@aos/kernel';
import type { Reactors } from '@aos/platform';
import { TurnEndsReactor } from './turn-ends.reactor.js';

test('events that end no turn are not decoded: each turn has half a dozen of them', async () => {
  let handle: (batch: readonly RecordedEvent[]) => Promise<void> = () => Promise.reject(new Error('nothing consumes'));
  const reactors: Pick<Reactors, 'consume'> = {
    consume: (_spec, handler) => {
      handle = (batch) => Promise.resolve(handler([...batch]));
      return { start: () => undefined, close: () => Promise.resolve() } as never;
    },
  };
  new TurnEndsReactor(reactors as never, {} as never, {} as never, {} as never);
  const decoded: string[] = [];
  const event = (type: string, revision: number): RecordedEvent => ({
    stream: 'session-1',
    revision,
    position: String(revision),
    id: String(revision),
    type,
    get data() {
      decoded.push(type);
      return { turn: { id: 'turn_1' } };
    },
    meta: { org_id: 'org_1' },
  });
  const types = ['SessionOpened', 'MessageAppended', 'TurnQueued', 'TurnClaimed', 'ModelAnswered', 'TurnCompleted'];
  await handle(types.map(event));
  expect(decoded).toEqual(['TurnCompleted']);
});
