import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const program = `
  import { createRequire } from 'node:module';
  await import(${JSON.stringify(String(pathToFileURL(join(__dirname, 'kafka.mjs'))))});
  const RequestQueue = createRequire(process.argv[1])('kafkajs/src/network/requestQueue/index.js');
  const logger = { namespace: () => logger, debug() {} };
  const queue = new RequestQueue({
    maxInFlightRequests: 1, requestTimeout: 1000, enforceRequestTimeout: false, clientId: 'spec', broker: 'none',
    logger, instrumentationEmitter: null, isConnected: () => true,
  });
  queue.checkPendingRequests();
  console.log(queue.throttleCheckTimeoutId === null ? 'no timer' : 'a timer');
`;

describe('clients of Kafka in tools', () => {
  it('arm no timer after an answer while no request waits: it had a negative time', () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', program, join(__dirname, 'kafka.mjs')],
      { encoding: 'utf8', timeout: 120_000 },
    );
    expect({ stdout: stdout.trim(), stderr, status }).toEqual({ stdout: 'no timer', stderr: '', status: 0 });
  });
});
