import { StartFault } from '@aos/kernel';
import { PinoLog } from '../../observability/index.js';
import type { Log } from '../../observability/index.js';
import { SettingsRefused } from '../../settings/index.js';
import type { Core } from './core.js';
import { compileSoonerOnceServing } from './hot-code.js';
import type { AppModules, RunningApp, StartOptions } from './start-app.js';
import { startApp } from './start-app.js';

/**
 * The whole `main` of an app: starts it, stops it on SIGTERM and SIGINT, and ends the process at the first thing that
 * was not handled (control S41): a process in an unknown state must not go on writing.
 */
export async function serve(
  name: string,
  modules: AppModules | ((core: Core) => AppModules | Promise<AppModules>),
  options: StartOptions,
): Promise<RunningApp> {
  const current: { log: Log; app: RunningApp | null } = {
    log: options.log ?? PinoLog.create({ app: name, level: 'info', pretty: false }),
    app: null,
  };
  const failStop = (what: string) => (error: unknown) => {
    current.log.error(what, { error });
    process.exit(1);
  };
  process.on('unhandledRejection', failStop('unhandled rejection'));
  process.on('uncaughtException', failStop('uncaught exception'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      current.log.info('signal', { signal });
      if (!current.app) process.exit(0);
      current.app.stop().then(() => process.exit(0), failStop('stop failed'));
    });
  }
  try {
    current.app = await startApp(name, modules, options);
    current.log = current.app.core.log;
    compileSoonerOnceServing(current.app.core);
    return current.app;
  } catch (error) {
    if (error instanceof SettingsRefused || error instanceof StartFault) process.stderr.write(`${error.message}\n`);
    else current.log.error('start failed', { error });
    process.exit(1);
  }
}
