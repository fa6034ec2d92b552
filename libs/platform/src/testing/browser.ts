import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** A browser of the system: `apt-get install chromium`, or its path in `SVC_CHROMIUM`. */
const executablePath = process.env['SVC_CHROMIUM'] ?? '/usr/bin/chromium';

/** On a machine that does much else. */
const startMs = 120_000;

/** Starts Chromium without a window. Throws when there is none. */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executablePath)) throw new Error(`there is no browser at ${executablePath}`);
  const { chromium } = await import('playwright-core'); // few of the specs that import this file's folder need it
  return chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: startMs });
}
