import { Injectable } from '@nestjs/common';
import type { ModelOption, ModelRequest, ModelTool } from '@aos/kernel';
import type { SessionState } from '../session/session.state.js';
import { OutputContract } from '../turn/output-contract.js';
import { MediaSources } from './media-sources.js';
import { ModelWindows, indexOfSequence, type ModelWindow } from './model-window.js';
import { SystemText } from './system-text.js';
import { Toolbox, type ToolContext } from '../calls/toolbox.js';
import { textTokens } from './token-estimate.js';
import { documentsFitted, fitted } from './window-fit.js';

/** The input for the turn's next model call. */
export interface GatheredInput {
  system: string;
  window: ModelWindow;
  tools: readonly ModelTool[];
  /** By the estimate of rule S18. */
  contextTokens: number;
}

/** Builds the whole input of a model call (rule R44). */
@Injectable()
export class ModelInput {
  constructor(
    private readonly windows: ModelWindows,
    private readonly systemText: SystemText,
    private readonly toolbox: Toolbox,
    private readonly outputs: OutputContract,
    private readonly media: MediaSources,
  ) {}

  /** Takes the session's state at the revision. */
  async gather(context: ToolContext, state: SessionState, revision: number): Promise<GatheredInput> {
    const {
      orgId,
      sessionId,
      agent,
      turn: { input },
    } = context;
    const [window, granted, system] = await Promise.all([
      this.windows.upTo(sessionId, state, revision),
      this.toolbox.tools(context),
      this.systemText.of(orgId, agent, input),
    ]);
    const tools = input.output_schema ? [...granted, this.outputs.tool(input.output_schema)] : granted;
    return { system, window, tools, contextTokens: window.tokens + textTokens(system) };
  }

  /**
   * The call itself; media is fetched here, for a model that can see it. What does not fit the model's window is cut.
   */
  async request(
    { orgId, sessionId, agent, turn }: ToolContext,
    state: SessionState,
    option: ModelOption,
    gathered: GatheredInput,
    signal: AbortSignal,
  ): Promise<ModelRequest> {
    const { system, window, tools, contextTokens } = gathered;
    const windowTokens = option.contextWindowTokens - textTokens(system);
    const fitting = fitted(window.messages, windowTokens);
    const cut = fitting !== window.messages;
    const given = await this.media.given({ orgId, sessionId }, fitting, window.media, option, signal);
    return {
      model: option.id,
      system,
      contextTokens: cut ? fitting.reduce((sum, { tokens }) => sum + tokens, textTokens(system)) : contextTokens,
      tools,
      callIndex: turn.calls,
      turnStart: indexOfSequence(window, turn.firstSequence),
      thinkingEffort: effort(state.thinkingEffort ?? agent.wire.thinking_effort),
      messages: documentsFitted(given, windowTokens),
    };
  }
}

function effort(value: string | undefined | null): ModelRequest['thinkingEffort'] {
  return value === 'low' || value === 'medium' || value === 'high' || value === 'xhigh' || value === 'max'
    ? value
    : null;
}
