import { CompositeModelProvider } from '@aos/adapters/models';
import { GuardedEgress } from '@aos/adapters/egress';
import type { ModelProvider } from '@aos/kernel';
import type { Core } from '@aos/platform';
import { MeasuredModelProvider } from './measured-models.js';

/** The model provider of both compositions: what the settings name. */
export function models(
  { settings, clock, metrics }: Core,
  env: Readonly<Record<string, string | undefined>> = process.env,
): ModelProvider {
  const named = new CompositeModelProvider(
    {
      scripted: settings.scriptedModel,
      env,
      ...(settings.modelsFile ? { modelsFile: settings.modelsFile } : {}),
      ...(settings.anthropicApiKey ? { anthropicApiKey: settings.anthropicApiKey } : {}),
      ...(settings.openaiApiKey ? { openaiApiKey: settings.openaiApiKey } : {}),
    },
    { clock },
  );
  return new MeasuredModelProvider(named, metrics, clock);
}

/** The guarded way out of both compositions. */
export function egress({ settings, clock, log }: Core): GuardedEgress {
  return new GuardedEgress({
    clock,
    allow: settings.egressAllow.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`),
    onBlocked: ({ host, port, address }) => {
      log.warn('egress.blocked', { host, port, ip: address ?? 'none' });
    },
  });
}
