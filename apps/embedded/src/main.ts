import 'reflect-metadata';
import { embeddedModules, serve, SystemClock } from '@aos/composition/embedded-program';

/** The whole service in one process on SQLite: what `npm start` runs. */
async function main(): Promise<void> {
  const { url, core } = await serve('embedded', embeddedModules, { clock: new SystemClock() });
  process.stdout.write(
    `Agent orchestration service: ${url}\n` +
      (core.app.console ? `Console: ${url}/console${core.firstKey?.takeFragment() ?? ''}\n` : '') +
      `API document: ${url}/openapi.yaml\n` +
      `Try: curl ${url}/v1/agents -H "Authorization: Bearer $KEY"\n`,
  );
}

void main();
