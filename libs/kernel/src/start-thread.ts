import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, extname, join, sep } from 'node:path';
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
  return new Worker(fileBeside(caller, file), { name: file, ...options, execArgv: argumentsFor(caller) });
}

/**
 * Starts a process from a file beside the caller's, as `startThread` does a thread. It has a channel for messages,
 * nothing of the environment, and may read code and nothing else: our own, packages, and what lies beside `code`, the
 * file it is given to run. Where its objects need more than `megabytes` it ends by a signal. (A thread that needs more
 * than its limit can end the whole process.)
 */
export function startProcess(caller: string, file: string, code: string, megabytes: number): ChildProcess {
  const readable = [...codeFolders(caller), dirname(code)].map((folder) => `--allow-fs-read=${join(folder, '*')}`);
  return fork(fileBeside(caller, file), [code], {
    execArgv: [...argumentsFor(caller), `--max-old-space-size=${megabytes}`, '--permission', ...readable],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** Folders of our libraries and of packages, as a file of a library finds them. */
function codeFolders(caller: string): string[] {
  const libraries = `${sep}libs${sep}`;
  const root = caller.slice(0, caller.lastIndexOf(libraries) + 1);
  const packages: string[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    const own = join(folder, 'node_modules');
    if (existsSync(own)) packages.push(realpathSync(own));
    if (folder === dirname(folder)) return [join(root, 'libs'), ...packages];
  }
}

/** Path of a file of code beside the caller's, built or not; its name without the extension. */
export function fileBeside(caller: string, file: string): string {
  return join(dirname(caller), `${file}${extname(caller)}`);
}

function argumentsFor(caller: string): string[] {
  const quiet = ['--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
  const isSource = extname(caller) === '.ts';
  return isSource ? [...quiet, '--import', `data:text/javascript,${encodeURIComponent(resolveSources)}`] : quiet;
}
