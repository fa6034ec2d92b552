import { Injectable, Logger } from '@nestjs/common';
import { Clock, LiveBus, ModelFailure, ModelProvider, StoreUnavailable, rfc3339 } from '@aos/kernel';
import { Decisions, failpoint, serviceActor, type Actor } from '@aos/platform';
import { liveChannel } from '../live/live.signals.js';
import { ModelWindows, type WindowRow } from '../model/model-window.js';
import { automaticCompactionSeconds, manualCompactionSeconds } from '../session/session.limits.js';
import type { CompactionPass } from '../session/session.events.js';
import { sessionDecider } from '../session.decider.js';
import { sessionKind, type OpenTurn, type SessionState } from '../session/session.state.js';
import { CompactionThresholds, thresholdOf } from './compaction-thresholds.js';
import type { SeenRow } from './pass-range.decide.js';
import { EmptySummary, PassTimeout, Summaries, outOfTime } from './summaries.js';

/** By how much the estimate must have grown before a turn tries again after a pass that failed (rule S48). */
const growthAfterFailure = 1.1;
/** A window that rows were added to while a pass was about to begin is read again, so often. */
const looksMax = 5;

/** An estimate that is over its threshold. */
export interface Excess {
  estimatedTokens: number;
  thresholdTokens: number;
}

export interface PassRequest {
  orgId: string;
  sessionId: string;
  trigger: CompactionPass['trigger'];
  /** Of the turn that sets it off. */
  claim: { turnId: string; epoch: number } | null;
  /** The excess that sets the pass off; null for a manual pass. */
  excess: Excess | null;
  act?: Actor;
}

/**
 * Runs compaction passes: one summary call each, bounded in time. A pass that fails leaves the transcript as it was.
 */
@Injectable()
export class Compactor {
  private readonly log = new Logger('compaction');

  constructor(
    private readonly decisions: Decisions,
    private readonly models: ModelProvider,
    private readonly windows: ModelWindows,
    private readonly thresholds: CompactionThresholds,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    private readonly summaries: Summaries,
  ) {}

  /** The excess for which a pass is due before a model call of the turn, for a model with such a window. */
  dueInTurn(state: SessionState, open: OpenTurn, estimatedTokens: number, windowTokens: number): Excess | null {
    const { failedPassTokens } = open;
    if (failedPassTokens !== undefined && estimatedTokens < failedPassTokens * growthAfterFailure) return null;
    return excessOver(thresholdOf(state, windowTokens), estimatedTokens);
  }

  /** The excess for which a pass is due between turns. */
  async dueBetween(state: SessionState, estimatedTokens: number): Promise<Excess | null> {
    return excessOver(await this.thresholds.of(state), estimatedTokens);
  }

  /**
   * Starts a pass; gives the session's state and, when one started, the work that ends it, which never rejects. Refuses
   * as `startPass`.
   */
  async start(request: PassRequest): Promise<{ state: SessionState; revision: number; ended: Promise<void> | null }> {
    const { sessionId, trigger, excess } = request;
    const now = this.clock.now();
    const actor = request.act ?? serviceActor(request.orgId, 'svc.compaction', `${sessionId}:${now}`);
    const seconds = trigger === 'manual' ? manualCompactionSeconds : automaticCompactionSeconds;
    for (let look = 1; ; look += 1) {
      const { state: before, revision: upTo } = await this.decisions.load(sessionKind, sessionId);
      const window = await this.windows.upTo(sessionId, before, upTo);
      const { sequence: seenThrough } = before;
      const seen = window.rows.map(seenRow);
      const summaryModel = await this.summaryModel(before);
      const decided = await this.decisions.decide(sessionDecider.startPass, sessionId, actor, {
        trigger,
        claim: request.claim,
        now,
        startedAt: rfc3339(now),
        deadline: rfc3339(now + seconds * 1000),
        summaryModel,
        seen,
        seenThrough,
        estimatedTokens: excess?.estimatedTokens ?? window.tokens,
        thresholdTokens: excess?.thresholdTokens ?? null,
      });
      const { state, revision } = decided;
      const [started] = decided.events;
      if (started?.type === 'CompactionStarted') {
        const { pass } = started.data;
        this.signal(sessionId, { type: 'compaction_started', pass });
        const ended = this.finish(sessionId, actor, pass, seconds * 1000).catch((error: unknown) => {
          this.log.error(error instanceof Error ? error.stack : String(error)); // the deadline clears the marker
        });
        return { state, revision, ended };
      }
      if (state.sequence === seenThrough || look === looksMax) return { state, revision, ended: null };
    }
  }

  private async finish(sessionId: string, actor: Actor, pass: CompactionPass, budgetMs: number): Promise<void> {
    try {
      failpoint('before-summary-call');
      const { text, usage, context } = await this.summaries.write({ orgId: actor.orgId, sessionId }, pass, budgetMs);
      failpoint('after-summary-call');
      const now = this.clock.now();
      if (now >= Date.parse(pass.deadline)) throw new PassTimeout(outOfTime);
      const command = { pass, text, usage, now, at: rfc3339(now), context };
      await this.decisions.decide(sessionDecider.finishPass, sessionId, actor, command);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.type === 'storage_error') this.log.warn(`${sessionId}: ${failure.message}`);
      try {
        const { type: errorType, message } = failure;
        const command = { pass, errorType, message, at: rfc3339(this.clock.now()) };
        await this.decisions.decide(sessionDecider.failPass, sessionId, actor, command);
      } catch (fault) {
        if (!(fault instanceof StoreUnavailable)) throw fault;
        this.log.warn(`${sessionId}: ${fault.message}`); // the deadline clears the marker
      }
      this.signal(sessionId, {
        type: 'compaction_failed',
        pass,
        error_type: failure.type,
        error_message: failure.message,
      });
    }
  }

  /** Rule S43. A model that the policy names is used or the pass fails: what was said goes to no other provider. */
  private async summaryModel(state: SessionState): Promise<string> {
    const named = state.compactionPolicy.summary_model;
    if (named !== undefined) return this.models.find(named)?.id ?? named;
    const model = state.opening?.model_override ?? state.model ?? (await this.thresholds.modelOf(state));
    return this.models.find(model)?.id ?? this.models.catalog.defaultModel ?? '';
  }

  private signal(
    sessionId: string,
    signal:
      | { type: 'compaction_started'; pass: CompactionPass }
      | { type: 'compaction_failed'; pass: CompactionPass; error_type: string; error_message: string },
  ): void {
    liveChannel.publish(this.bus, sessionId, {
      ...signal,
      turn_id: signal.pass.turn_id,
      live_sequence: 0,
      emitted_at: rfc3339(this.clock.now()),
    });
  }
}

function excessOver(thresholdTokens: number | null, estimatedTokens: number): Excess | null {
  return thresholdTokens === null || estimatedTokens < thresholdTokens ? null : { estimatedTokens, thresholdTokens };
}

function seenRow({ sequence, turnId, message: { role, content, context, tokens } }: WindowRow): SeenRow {
  return {
    sequence,
    turnId,
    tokens,
    answers: role === 'assistant',
    context: context !== undefined,
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
    results: content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  };
}

/** Failure types of rule S24. */
function failureOf(error: unknown): { type: string; message: string } {
  if (error instanceof PassTimeout) return { type: 'timeout', message: error.message };
  if (error instanceof EmptySummary) return { type: 'empty_summary', message: error.message };
  if (error instanceof StoreUnavailable) return { type: 'storage_error', message: error.message };
  return {
    type: 'summarizer_error',
    message: error instanceof ModelFailure ? error.message : 'the summary could not be written',
  };
}
