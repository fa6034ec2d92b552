import { SettingsRefused, loadSettings, unknownSettings } from '@aos/platform';
import type { Check } from '../commands/doctor.js';

const page = 'docs/SETTINGS.md';

/** What the settings of this environment would say to a service that starts here, and where its data lies. */
export function checkSettings(env: NodeJS.ProcessEnv): { checks: Check[]; dataDir: string } {
  const unknown = unknownSettings(env).map(({ name, nearest }): Check => ({
    check: 'settings',
    ok: false,
    message: `${name} is no setting`,
    fix: `${nearest} is written most alike; ${page} has them all`,
  }));
  try {
    const { dataDir } = loadSettings(env, 'embedded');
    const well: Check = { check: 'settings', ok: true, message: 'a service would start with this environment' };
    return { checks: unknown.length > 0 ? unknown : [well], dataDir };
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error;
    const refused = error.faults.map((fault): Check => ({ check: 'settings', ok: false, message: fault, fix: page }));
    return { checks: [...unknown, ...refused], dataDir: '' };
  }
}
