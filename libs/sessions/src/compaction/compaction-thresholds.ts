import { Injectable } from '@nestjs/common';
import type { ModelOption } from '@aos/kernel';
import { AgentDirectory } from '@aos/definitions/published';
import { ModelRoutes, unknownWindowTokens } from '../model/model-routes.js';
import type { SessionState } from '../session/session.state.js';

const share = { xs: 0.1, sm: 0.2, md: 0.4, lg: 0.6, xl: 0.8 } as const;

/** When a session's automatic compaction sets in. */
@Injectable()
export class CompactionThresholds {
  constructor(
    private readonly routes: ModelRoutes,
    private readonly agents: AgentDirectory,
  ) {}

  /**
   * Estimated tokens, by the window of the model that the next turn would use; null for `manual` and `disabled`
   * sessions.
   */
  async of(state: SessionState): Promise<number | null> {
    const { opening, compactionPolicy: policy } = state;
    if (!opening || policy.strategy !== 'auto' || policy.threshold_tokens !== undefined)
      return thresholdOf(state, unknownWindowTokens);
    return thresholdOf(state, (await this.nextModel(state))?.contextWindowTokens ?? unknownWindowTokens);
  }

  /** The model that the session's next turn would use; undefined when it is not there. */
  async modelOf(state: SessionState): Promise<string | undefined> {
    return (await this.nextModel(state))?.id;
  }

  private async nextModel({ opening }: SessionState): Promise<ModelOption | null> {
    const agent = opening && (await this.agents.agent(opening.org_id, opening.agent_id));
    return agent ? this.routes.optionOf(agent, opening.model_override) : null;
  }
}

/** Estimated tokens, for a model with such a window; null for `manual` and `disabled` sessions. */
export function thresholdOf({ compactionPolicy: policy }: SessionState, windowTokens: number): number | null {
  if (policy.strategy !== 'auto') return null;
  return policy.threshold_tokens ?? Math.floor(windowTokens * share[policy.threshold ?? 'sm']);
}
