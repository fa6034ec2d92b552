import type { RecordedEvent } from '@aos/kernel';
import type { Reactors } from '@aos/platform';
import type { SessionFiles } from './session-files.js';
import { SessionFilesReactor } from './session-files.reactor.js';

test('of the events of sessions only the one that ends a session is decoded', async () => {
  let handle: (batch: RecordedEvent[]) => Promise<void> = () => Promise.reject(new Error('nothing consumes'));
  const reactors: Pick<Reactors, 'consume'> = {
    consume: (_spec, handler) => {
      handle = (batch) => Promise.resolve(handler(batch));
      return { start: () => undefined, close: () => Promise.resolve() } as never;
    },
  };
  const done: string[] = [];
  const files: Pick<SessionFiles, 'deleteAll' | 'stored'> = {
    deleteAll: (orgId, sessionId) => Promise.resolve(void done.push(`delete ${orgId} ${sessionId}`)),
    stored: ({ id }) => Promise.resolve(void done.push(`stored ${id}`)),
  };
  new SessionFilesReactor(reactors as never, files as never);
  const decoded: string[] = [];
  const event = (stream: string, type: string): RecordedEvent => ({
    stream,
    revision: 0,
    position: '0',
    id: type,
    type,
    get data() {
      decoded.push(`data of ${type}`);
      return { artifact: { id: 'art_1' } };
    },
    get meta() {
      decoded.push(`meta of ${type}`);
      return { org_id: 'org_1' };
    },
  });
  const types = ['SessionOpened', 'MessageAppended', 'TurnQueued', 'ModelAnswered', 'TurnCompleted', 'SessionDeleted'];
  await handle([...types.map((type) => event('session-ses_1', type)), event('artifact-1', 'ArtifactStored')]);
  expect(done).toEqual(['delete org_1 ses_1', 'stored art_1']);
  expect(decoded).toEqual(['meta of SessionDeleted', 'data of ArtifactStored']);
});
