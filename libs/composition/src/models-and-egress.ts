import { CompositeModelProvider } from '@aos/adapters/models';
import { GuardedEgress } from '@aos/adapters/egress';
import type { Core } from '@aos/platform';

/** The adapters that both compositions share: models from settings, and the guarded way out. */
export function modelsAndEgress({ settings, clock, log }: Core, env: Readonly<Record<string, string | undefined>> = process.env) {
  const models = new CompositeModelProvider({
    scripted: settings.scriptedModel,
    env,
    ...(settings.modelsFile ? { modelsFile: settings.modelsFile } : {}),
    ...(settings.anthropicApiKey ? { anthropicApiKey: settings.anthropicApiKey } : {}),
    ...(settings.openaiApiKey ? { openaiApiKey: settings.openaiApiKey } : {}),
  }, { clock });
  const egress = new GuardedEgress({
    clock,
    allow: settings.egressAllow.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`),
    onBlocked: ({ host, port, address }) => { log.warn('egress.blocked', { host, port, ip: address ?? 'none' }); },
  });
  return { models, egress };
}
