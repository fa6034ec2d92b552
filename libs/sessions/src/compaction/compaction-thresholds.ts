import { Injectable } from '@nestjs/common';
import { ModelProvider } from '@aos/kernel';
import type { SessionState } from '../session/session.state.js';

/** Window of a model that the catalog does not know (decision S17). */
const unknownWindowTokens = 200_000;
const share = { xs: 0.1, sm: 0.2, md: 0.4, lg: 0.6, xl: 0.8 } as const;

/** When a session's automatic compaction sets in. */
@Injectable()
export class CompactionThresholds {
  constructor(private readonly models: ModelProvider) {}

  /** Estimated tokens; null for `manual` and `disabled` sessions. */
  of(state: SessionState): number | null {
    const policy = state.compactionPolicy;
    if (policy.strategy !== 'auto') return null;
    if (policy.threshold_tokens !== undefined) return policy.threshold_tokens;
    const window = this.models.find(state.opening?.model_override ?? state.model ?? undefined)?.contextWindowTokens ?? unknownWindowTokens;
    return Math.floor(window * share[policy.threshold ?? 'sm']);
  }
}
