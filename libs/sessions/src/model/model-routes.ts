import type { ModelEvent, ModelOption, ModelProvider, ModelRequest, ModelStream } from '@aos/kernel';
import type { OrganizationPlans } from '@aos/access/published';
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
   * One call, as `ModelProvider` gives it. The same request of the same turn is one job, on every attempt and after
   * every crash. A job that no worker takes is a `ModelFailure` with `worker_unavailable`.
   */
  abstract stream(
    caller: ModelCaller,
    route: { provider: string; model: string },
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncIterable<ModelEvent>;
}

export interface RoutedModel {
  option: ModelOption;
  stream(request: ModelRequest, signal: AbortSignal): ModelStream;
}

/** The error message of a turn when its agent's model cannot be called. */
export function missingModel({ wire }: AgentRecord, override: string | undefined): string {
  if (wire.model_route?.mode === 'worker') return 'no worker can be asked for the model of the agent';
  const name = override ?? wire.model;
  return name === undefined
    ? 'the agent names no model, and there is no default model'
    : `the model ${name} is not in the catalog (GET /v1/catalog/models)`;
}

/** Window of a model that no catalog knows (rule S17). */
export const unknownWindowTokens = 200_000;

/** Where the calls of an agent's model go: to a provider of the catalog, or to a worker (rule R4). */
export class ModelRoutes {
  constructor(
    private readonly models: ModelProvider,
    private readonly workers: WorkerModels | null,
    private readonly plans: OrganizationPlans,
  ) {}

  /**
   * Takes the override of the session, which a worker-routed agent never has (rule S14). Null: the model is not there.
   */
  of(agent: AgentRecord, override: string | undefined, caller: ModelCaller): RoutedModel | null {
    const option = this.optionOf(agent, override);
    if (!option) return null;
    const { workers } = this;
    if (!workers || !workersOffer(agent))
      return { option, stream: (request, signal) => this.models.stream(request, signal) };
    const route = { provider: option.provider, model: option.id };
    return { option, stream: (request, signal) => workers.stream(caller, route, request, signal) };
  }

  /** The model that the agent's next turn in a session would use. */
  optionOf(agent: AgentRecord, override: string | undefined): ModelOption | null {
    if (!workersOffer(agent)) return this.models.find(override ?? agent.wire.model);
    const { provider, model } = agent.wire.model_route ?? {};
    if (!this.workers || provider === undefined || model === undefined) return null;
    return {
      id: model,
      provider,
      label: model,
      contextWindowTokens: unknownWindowTokens,
      vision: false,
      documents: false,
      plans: null,
    };
  }

  /** Whether the organization's plan allows a model now: an operator may change it while a turn runs (rule S14). */
  isAllowed(orgId: string, { option }: RoutedModel): Promise<boolean> {
    return this.plans.includes(orgId, option.plans);
  }
}

function workersOffer(agent: AgentRecord): boolean {
  return agent.wire.model_route?.mode === 'worker';
}
