import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * Starts a thread from the file beside this one: JavaScript when built, TypeScript in tests (Node strips its types).
 */
export function startWorker(name: string, workerData: unknown): Worker {
  return new Worker(join(__dirname, `${name}${extname(__filename)}`), {
    workerData,
    execArgv: ['--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
  });
}
