import { Injectable } from '@nestjs/common';
import type { RequestBody } from '@aos/contract';
import { ModelProvider } from '@aos/kernel';
import type { Warning } from '@aos/platform';
import { modelWarnings } from '@aos/definitions/published';

type Agents = NonNullable<RequestBody<'applyBlueprint'>['resources']['agents']>;

@Injectable()
export class ModelWarningQueries {
  constructor(private readonly models: ModelProvider) {}

  /** Models that agents of a blueprint name and the catalog lacks, each once (rule G29). */
  of(agents: Agents): Warning[] {
    const named = agents.filter(({ model }) => model !== undefined);
    return [...new Map(named.map((agent) => [agent.model, modelWarnings(this.models, agent)])).values()].flat();
  }
}
