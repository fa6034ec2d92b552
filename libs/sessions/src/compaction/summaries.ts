import { Injectable } from '@nestjs/common';
import { Clock, ModelFailure, ModelProvider, sha256Hex, type ModelMessage, type ModelRequest } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { OrganizationPlans } from '@aos/access/published';
import { AnswerBound } from '../model/answer-bound.js';
import { MediaSources, namedMedia, type SessionReference } from '../model/media-sources.js';
import { ModelWindows, coveredBy } from '../model/model-window.js';
import { textTokens } from '../model/token-estimate.js';
import { documentsFitted, fitted } from '../model/window-fit.js';
import type { CompactionPass, Usage } from '../session/session.events.js';
import { sessionKind } from '../session/session.state.js';
import type { ContextItem } from '../turn/context.decide.js';

const instruction = [
  'Sum up the conversation so far for the assistant that continues it.',
  'Keep facts, decisions, names, numbers, open questions and what was promised; leave out pleasantries.',
  'Write plain text, as short as the content allows.',
].join(' ');

export const outOfTime = 'the pass ran out of time';

export class PassTimeout extends Error {}

export class EmptySummary extends Error {}

/** Makes the summary calls of compaction passes. */
@Injectable()
export class Summaries {
  constructor(
    private readonly decisions: Decisions,
    private readonly models: ModelProvider,
    private readonly windows: ModelWindows,
    private readonly media: MediaSources,
    private readonly plans: OrganizationPlans,
    private readonly clock: Clock,
  ) {}

  /**
   * Sums up what a pass covers. Rejects with `PassTimeout` after `budgetMs`, with `EmptySummary`, or with the model's
   * failure.
   */
  async write(
    reference: SessionReference,
    pass: CompactionPass,
    budgetMs: number,
  ): Promise<{ text: string; usage: Usage; context: ContextItem[] }> {
    const { sessionId } = reference;
    const { state, revision } = await this.decisions.load(sessionKind, sessionId);
    const window = await this.windows.upTo(sessionId, state, revision);
    const option = this.models.find(pass.summary_model);
    if (option && !(await this.plans.includes(reference.orgId, option.plans))) {
      throw new ModelFailure(
        `the organization's billing plan does not allow the model ${option.id}`,
        false,
        null,
        'model_unavailable',
      );
    }
    const whole = coveredBy(window, pass);
    const covered = namedMedia(whole.messages, whole.media);
    const abort = new AbortController();
    const timer = this.clock.after(budgetMs, () => {
      abort.abort(new PassTimeout(outOfTime));
    });
    try {
      const given = option ? await this.media.given(reference, covered, whole.media, option, abort.signal) : covered;
      const messages = option ? fit(given, option.contextWindowTokens - textTokens(instruction)) : given;
      const request: ModelRequest = {
        model: option?.id ?? pass.summary_model,
        system: instruction,
        messages,
        contextTokens: messages.reduce((sum, { tokens }) => sum + tokens, textTokens(instruction)),
        tools: [],
        thinkingEffort: null,
        callIndex: 0,
        turnStart: 0,
        purpose: 'summary',
      };
      let text = '';
      const bound = new AnswerBound();
      for await (const event of this.models.stream(request, abort.signal)) {
        bound.take(event);
        if (event.type === 'text_delta') text += event.text;
        if (event.type === 'done') {
          if (text.trim() === '') throw new EmptySummary('the summary is empty');
          const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = event.usage;
          return {
            text,
            usage: { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens },
            context: contextIn(covered),
          };
        }
      }
      throw new ModelFailure('the model ended without finishing', true);
    } finally {
      timer.cancel();
    }
  }
}

/** What the model of the summary can take of the rows that it sums up (rule S48). */
function fit(messages: readonly ModelMessage[], windowTokens: number): readonly ModelMessage[] {
  return documentsFitted(fitted(messages, windowTokens), windowTokens);
}

/** The newest value of each context item among these messages. */
function contextIn(messages: readonly ModelMessage[]): ContextItem[] {
  const newest = new Map<string, ContextItem>();
  for (const { context } of messages) {
    if (!context) continue;
    const name = context.name.replace(/^app-/, '');
    newest.set(name, { name, content: context.content, digest: sha256Hex(context.content) });
  }
  return [...newest.values()];
}
