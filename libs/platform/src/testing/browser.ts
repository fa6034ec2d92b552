import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** A browser of the system: `apt-get install chromium`, or its path in `SVC_CHROMIUM`. */
const executablePath = process.env['SVC_CHROMIUM'] ?? '/usr/bin/chromium';

/** Starts Chromium without a window. Throws when there is none. */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executablePath)) throw new Error(`there is no browser at ${executablePath}`);
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
