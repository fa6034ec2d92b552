import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const tool = join(__dirname, 'for-tests.mjs');
const given = {
  SVC_KAFKA_BROKERS: 'kafka.test:9092',
  SVC_REDIS_URL: 'redis://user:secret@redis.test:6379',
  SVC_REDIS_CLUSTER_URL: 'redis://cluster.test:6379',
  SVC_EVENTSTOREDB_URL: 'esdb://store.test:2113?tls=false',
};

describe('engines of a test run', () => {
  it('are used as they are given: nothing is started, nothing is stopped, no secret is printed', () => {
    const script = `import { TestEngines } from ${JSON.stringify(tool)};
      const engines = await TestEngines.start('/nowhere', ${JSON.stringify(given)});
      const refusal = await engines.control('redis', 'kill').catch((error) => error.message);
      await engines.stop();
      console.log(JSON.stringify({ env: engines.env, lines: engines.lines, refusal }));`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    const how = '(given: what would stop or empty it is skipped)';
    expect(JSON.parse(stdout)).toEqual({
      env: { ...given, SVC_ENGINES_OWN: '' },
      lines: [
        `kafka: kafka.test:9092 ${how}`,
        `redis: redis://redis.test:6379 ${how}`,
        `redis-cluster: redis://cluster.test:6379 ${how}`,
        `eventstoredb: esdb://store.test:2113 ${how}`,
      ],
      refusal: 'no engine named redis was started',
    });
  });
});
