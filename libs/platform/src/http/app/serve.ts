import { StartFault } from '@aos/kernel';
import { PinoLog } from '../../observability/index.js';
import type { Log } from '../../observability/index.js';
import { SettingsRefused } from '../../settings/index.js';
import type { Core } from './core.js';
import type { AppModules, RunningApp, StartOptions } from './start-app.js';
import { startApp } from './start-app.js';

/**
 * The whole `main` of an app: starts it, stops it on SIGTERM and SIGINT, and ends the process at the first thing that nobody handled
 * (control S41): a process in an unknown state must not go on writing.
 */
export async function serve(
  name: string,
  modules: AppModules | ((core: Core) => AppModules | Promise<AppModules>),
  options: StartOptions,
): Promise<RunningApp> {
  const held: { log: Log; app: RunningApp | null } = {
    log: options.log ?? PinoLog.create({ app: name, level: 'info', pretty: false }),
    app: null,
  };
  const failStop = (what: string) => (error: unknown) => {
    held.log.error(what, { error });
    process.exit(1);
  };
  process.on('unhandledRejection', failStop('unhandled rejection'));
  process.on('uncaughtException', failStop('uncaught exception'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      held.log.info('signal', { signal });
      if (!held.app) process.exit(0);
      held.app.stop().then(() => process.exit(0), failStop('stop failed'));
    });
  }
  try {
    held.app = await startApp(name, modules, options);
    held.log = held.app.core.log;
    return held.app;
  } catch (error) {
    if (error instanceof SettingsRefused || error instanceof StartFault) process.stderr.write(`${error.message}\n`);
    else held.log.error('start failed', { error });
    process.exit(1);
  }
}
