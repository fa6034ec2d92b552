import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** In tests a thread's file imports its neighbours by the names that they have once they are built. */
const resolveSources = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => next(name.startsWith('.') ? name.replace(/\\.js$/, '.ts') : name, context) });`;

/**
 * Starts a thread from the file beside this one: JavaScript when built, TypeScript in tests (Node strips its types).
 * Tools that look at the process see it under the file's name.
 */
export function startWorker(name: string, workerData: unknown): Worker {
  const extension = extname(__filename);
  const execArgv = ['--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
  if (extension === '.ts') execArgv.push('--import', `data:text/javascript,${encodeURIComponent(resolveSources)}`);
  return new Worker(join(__dirname, `${name}${extension}`), { name, workerData, execArgv });
}
