import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports that a system gives by itself begin above these, so none of them is taken between this look and its use. */
const [lowest, above] = [20_000, 32_768];
const tries = 100;
/** Three suites at once listen at up to three each. */
const suitesPorts = 12;

/** Whether nothing listens at it now. */
export function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

/** A port that nothing listens at now. Throws when a hundred ports in a row are taken. */
export async function freePort() {
  for (let tried = 0; tried < tries; tried += 1) {
    const port = randomInt(lowest, above);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${tries} ports from ${lowest} to ${above - 1} is free`);
}

/**
 * Ports at which suites that run at the same time listen as somebody's action server, and the variables that tell the
 * suites.
 */
export async function actionsPorts() {
  const ports = new Set();
  while (ports.size < suitesPorts) ports.add(await freePort());
  return { ports: [...ports], env: { ACTIONS_PORT: String([...ports][0]), ACTIONS_PORTS: [...ports].join(',') } };
}
