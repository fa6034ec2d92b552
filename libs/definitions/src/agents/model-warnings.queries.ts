import { Injectable } from '@nestjs/common';
import type { RequestBody, Schema } from '@aos/contract';
import { ModelProvider } from '@aos/kernel';
import type { Warning } from '@aos/platform';

type BlueprintAgents = NonNullable<RequestBody<'applyBlueprint'>['resources']['agents']>;

/** Warnings of models that are named and that the catalog lacks (rule G29). */
@Injectable()
export class ModelWarningQueries {
  constructor(private readonly models: ModelProvider) {}

  /**
   * An agent may name a model that is not there yet: its turns fail until it is. Models of workers come and go, and
   * give no warning.
   */
  ofAgent({ model: name, model_route: route }: Pick<Schema<'Agent'>, 'model' | 'model_route'>): Warning[] {
    if (route?.mode === 'worker' || this.models.find(name)) return [];
    return [
      unavailable(
        name === undefined
          ? 'the agent names no model, and there is no default model'
          : `the model ${name} is not in the catalog`,
      ),
    ];
  }

  /** The same of the model that writes summaries: compactions fail until it is there (rule S43). */
  ofPolicy(policy: Schema<'SessionCompactionPolicy'> | undefined): Warning[] {
    const name = policy?.summary_model;
    if (name === undefined || this.models.find(name)) return [];
    return [unavailable(`the model ${name} of summaries is not in the catalog`)];
  }

  /** Each model that agents of a blueprint name, once. */
  ofBlueprint(agents: BlueprintAgents): Warning[] {
    const warnings = agents.flatMap((agent) => [
      ...(agent.model === undefined ? [] : this.ofAgent(agent)),
      ...this.ofPolicy(agent.compaction_policy),
    ]);
    return [...new Map(warnings.map((warning) => [warning.text, warning])).values()];
  }
}

function unavailable(text: string): Warning {
  return { code: 'model_unavailable', text };
}
