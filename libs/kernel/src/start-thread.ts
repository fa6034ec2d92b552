import { fork, type ChildProcess } from 'node:child_process';
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
  return new Worker(fileBeside(caller, file), { name: file, ...options, execArgv: argumentsFor(caller) });
}

/**
 * Starts a process from a file beside the caller's, as `startThread` does a thread. It has a channel for messages,
 * nothing of the environment, and may read files and nothing else. Where its objects need more than `megabytes` it ends
 * by a signal. (A thread that needs more than its limit can end the whole process.)
 */
export function startProcess(caller: string, file: string, given: readonly string[], megabytes: number): ChildProcess {
  const limits = [`--max-old-space-size=${megabytes}`, '--permission', '--allow-fs-read=*'];
  return fork(fileBeside(caller, file), given, {
    execArgv: [...argumentsFor(caller), ...limits],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
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
