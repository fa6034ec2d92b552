import { eventLogContract } from '@aos/kernel/contracts';
import { ManualClock } from '@aos/kernel/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteEventLog } from './sqlite-event-log.js';
import { ViewsFile } from './views-file.js';

async function openLog() {
  const directory = mkdtempSync(join(tmpdir(), 'aos-topics-'));
  const clock = new ManualClock();
  const views = await ViewsFile.open({ file: join(directory, 'views.db'), clock });
  return { directory, clock, views, log: new SqliteEventLog(views) };
}

eventLogContract('sqlite', async () => {
  const { directory, clock, views, log } = await openLog();
  const ticking = setInterval(() => {
    clock.advance(100);
  }, 5);
  return {
    log,
    close: async () => {
      await log.close();
      await views.close();
      clearInterval(ticking);
      rmSync(directory, { recursive: true });
    },
  };
});

test('records older than the retention go; topics and commits outlive the process', async () => {
  const { directory, clock, views, log } = await openLog();
  await log.ensureTopics([
    { topic: 'brief', partitions: 2, retentionMs: 1000 },
    { topic: 'long', partitions: 2, retentionMs: 1e9 },
  ]);
  for (const topic of ['brief', 'long']) await log.publish(topic, [{ key: 'a', value: Buffer.from('1'), headers: {} }]);
  clock.advance(2000);
  await log.publish('brief', [{ key: 'b', value: Buffer.from('2'), headers: {} }]);
  await views.sweep();
  const values = async (of: SqliteEventLog, topic: string) =>
    (await of.tails(topic)).map(({ value }) => Buffer.from(value).toString());
  expect(await values(log, 'brief')).toEqual(['2']);
  await log.close();
  await views.close();

  const again = await ViewsFile.open({ file: join(directory, 'views.db'), clock });
  const reopened = new SqliteEventLog(again);
  expect(await values(reopened, 'long')).toEqual(['1']);
  await reopened.close();
  await again.close();
  rmSync(directory, { recursive: true });
});
