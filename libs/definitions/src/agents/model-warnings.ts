import type { Schema } from '@aos/contract';
import type { ModelProvider } from '@aos/kernel';
import type { Warning } from '@aos/platform';

/**
 * An agent may name a model that is not there yet: its turns fail until it is (rule G29). Models of workers come and
 * go, and give no warning.
 */
export function modelWarnings(
  models: ModelProvider,
  { model: name, model_route: route }: Pick<Schema<'Agent'>, 'model' | 'model_route'>,
): Warning[] {
  if (route?.mode === 'worker' || models.find(name)) return [];
  return [
    {
      code: 'model_unavailable',
      text:
        name === undefined
          ? 'the agent names no model, and there is no default model'
          : `the model ${name} is not in the catalog`,
    },
  ];
}
