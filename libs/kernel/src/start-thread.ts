import { dirname, extname, join } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** In tests a thread's file imports its neighbours by the names that they have once they are built. */
const resolveSources = `import { registerHooks } from 'node:module';
const ours = (name, { parentURL = '' }) => name.startsWith('.') && !parentURL.includes('/node_modules/');
registerHooks({ resolve: (name, context, next) => next(ours(name, context) ? name.replace(/\\.js$/, '.ts') : name, context) });`;

/**
 * Starts a thread from a file beside the caller's: JavaScript when built, TypeScript in tests (Node strips its types).
 * Tools that look at the process see it under the file's name, or under the name in the options.
 *
 * `caller`: `__filename` of the caller. `file`: the name of the thread's file, without its extension.
 */
export function startThread(caller: string, file: string, options: Omit<WorkerOptions, 'execArgv'> = {}): Worker {
  const extension = extname(caller);
  const execArgv = ['--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
  if (extension === '.ts') execArgv.push('--import', `data:text/javascript,${encodeURIComponent(resolveSources)}`);
  return new Worker(join(dirname(caller), `${file}${extension}`), { name: file, ...options, execArgv });
}
