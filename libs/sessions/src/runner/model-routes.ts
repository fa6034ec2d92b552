import type { ModelEvent, ModelOption, ModelProvider, ModelRequest } from '@aos/kernel';
import type { AgentRecord } from '@aos/definitions/published';

/** The turn that a model is called for. */
export interface ModelCaller {
  orgId: string;
  sessionId: string;
  turnId: string;
  agentId: string;
}

/** Models that connected workers offer. */
export abstract class WorkerModels {
  /**
   * One call, as `ModelProvider` gives it. The same request of the same turn is one job, on every attempt and after every crash.
   * A job that nobody takes is a `ModelFailure` with `worker_unavailable`.
   */
  abstract stream(caller: ModelCaller, route: { provider: string; model: string }, request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface RoutedModel {
  option: ModelOption;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** Window of a model that no catalog knows (decision S17). */
const unknownWindowTokens = 200_000;

/** Where the calls of an agent's model go: to a provider of the catalog, or to a worker (decision R4). */
export class ModelRoutes {
  constructor(private readonly models: ModelProvider, private readonly workers: WorkerModels | null) {}

  /** Takes the override of the session, which a worker-routed agent never has (decision S14). Null: the model is not there. */
  of(agent: AgentRecord, override: string | undefined, caller: ModelCaller): RoutedModel | null {
    const { mode, provider, model } = agent.wire.model_route ?? {};
    const { workers } = this;
    if (mode === 'worker') {
      if (!workers || provider === undefined || model === undefined) return null;
      const route = { provider, model };
      const option: ModelOption = { id: model, provider, label: model, contextWindowTokens: unknownWindowTokens, vision: false, documents: false, plans: null };
      return { option, stream: (request, signal) => workers.stream(caller, route, request, signal) };
    }
    const option = this.models.find(override ?? agent.wire.model);
    return option && { option, stream: (request, signal) => this.models.stream(request, signal) };
  }
}
