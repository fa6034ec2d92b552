import { Injectable } from '@nestjs/common';
import { jsonBytes } from '@aos/kernel';
import type { JsonObject, ModelTool } from '@aos/kernel';
import { ReleaseWrites } from '@aos/platform';
import type { EnabledAgent } from '@aos/access/published';
import { AgentDirectory, type CatalogAction } from '@aos/definitions/published';
import {
  Toolbox,
  type Deferred,
  type Dispatched,
  type ReportProgress,
  type ToolCall,
  type ToolContext,
} from '@aos/sessions/published';
import type { BuiltinCall } from '../builtins/builtin-call.js';
import { Builtins } from '../builtins/builtins.js';
import { deferredMs, jobTimeoutMsOf, resendsOf } from '../deliveries/attempts.decide.js';
import { AgentDeliveries } from './agent-deliveries.js';
import { CustomActions } from './custom-actions.js';
import { AgentGrant, toolReacher } from './agent-grant.js';
import { TurnCallers } from './turn-callers.js';
import { present, type Presentation } from './presentation.decide.js';
import { failed, toolBytesMax, type Outcome } from '../deliveries/tool-result.js';

/** A worker's own lease says whether it is alive; coming back to its job is not sending it again. */
const workerJobPlan = { timeoutMs: 24 * 3_600_000, resends: 1_000_000 };

/** A call with its action, before its caller is known. */
type AddressedCall = Omit<BuiltinCall, 'who'> & { action: CatalogAction; enabled: EnabledAgent };

/**
 * The tools of an agent: what its selectors name of the catalog.
 *
 * Shown as the agent was when its turn began. At dispatch the agent and the action are read again: what is granted no
 * more gives an error and leaves no trace outside (control S36; invariant 27).
 */
@Injectable()
export class GrantedToolbox extends Toolbox {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly grant: AgentGrant,
    private readonly callers: TurnCallers,
    private readonly builtins: Builtins,
    private readonly customs: CustomActions,
    private readonly deliveries: AgentDeliveries,
    private readonly writes: ReleaseWrites,
  ) {
    super();
  }

  override async tools(context: ToolContext): Promise<readonly ModelTool[]> {
    return (await this.presentation(context)).tools;
  }

  override async resolve(context: ToolContext, name: string, input: JsonObject): Promise<ToolCall['resolved_action']> {
    const addressed = (await this.presentation(context)).address(name, input);
    return addressed.kind === 'action' ? { name: addressed.name, input: addressed.input } : undefined;
  }

  override async dispatch(
    context: ToolContext,
    call: ToolCall,
    progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<Dispatched> {
    const addressed = await this.addressed(context, call);
    if ('outcome' in addressed) return addressed;
    signal.throwIfAborted();
    const { action } = addressed;
    if (action.source !== 'custom') return this.builtin(addressed);
    const annotations = action.annotations ?? {};
    if (annotations.long_running === true)
      return {
        job:
          action.endpoint_kind === 'worker'
            ? workerJobPlan
            : { timeoutMs: jobTimeoutMsOf(annotations), resends: resendsOf(annotations) },
      };
    const { interruptions = 0 } =
      context.turn.pending.find((pending) => pending.call.tool_call_id === call.tool_call_id) ?? {};
    if (action.endpoint_kind !== 'worker' && interruptions > resendsOf(annotations))
      return {
        outcome: failed(
          'outcome_unknown',
          'the service stopped more than once while the call was under way; it may have been carried out',
        ),
      };
    return { outcome: await this.custom(addressed, progress, signal) };
  }

  override async job(
    context: ToolContext,
    call: ToolCall,
    progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<Outcome | Deferred> {
    const addressed = await this.addressed(context, call);
    if ('outcome' in addressed) return addressed.outcome;
    signal.throwIfAborted();
    if (addressed.action.endpoint_kind === 'worker' || this.writes.allowed === 'previous')
      return this.custom(addressed, progress, signal);
    const outcome = await this.customs.runDeferrable(this.deliveries.of(context, call), signal, progress);
    return outcome === 'deferred' ? { deferredForMs: deferredMs } : outcome;
  }

  /** The action that the call is for, if it is granted now, and who calls; else what the model is given. */
  private async addressed(context: ToolContext, call: ToolCall): Promise<AddressedCall | { outcome: Outcome }> {
    if (!call.resolved_action) return { outcome: await this.unresolved(context, call) };
    const { name, input } = call.resolved_action;
    if (jsonBytes(input) > toolBytesMax)
      return { outcome: failed('payload_too_large', `the input is over ${toolBytesMax} bytes`) };
    const { orgId, turn } = context;
    const agent = await this.agents.agent(orgId, context.agent.id);
    if (!agent || agent.deleted) return { outcome: failed('permission_denied', 'the agent is not there any more') };
    const enabled = await this.callers.agent(context);
    if (!enabled) return { outcome: failed('permission_denied', 'the agent is disabled') };
    const who = toolReacher(orgId, agent.id);
    const found = await this.grant.action(agent, who, name);
    const [action] = found ? await this.grant.narrowed(orgId, [found], turn.skills ?? []) : [];
    if (!action) return { outcome: failed('permission_denied', `${name} is not granted`) };
    const granted = action.source === 'custom' ? [action] : await this.grant.actions(agent, who);
    return { action, agent, enabled, granted, context, call, input };
  }

  private async builtin({ action, enabled, ...call }: AddressedCall): Promise<Dispatched> {
    const who = await this.callers.of(call.context, enabled);
    if (!who) return { outcome: failed('permission_denied', 'whom the turn acts for is disabled or gone') };
    return this.builtins.run(action, { ...call, who });
  }

  private custom(
    { action: { endpoint_kind: kind }, context, call }: AddressedCall,
    progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<Outcome> {
    return this.customs.run(this.deliveries.of(context, call), kind === 'worker' ? 'worker' : 'http', signal, progress);
  }

  private async presentation({ orgId, agent, turn }: ToolContext): Promise<Presentation> {
    const granted = await this.grant.actions(agent, toolReacher(orgId, agent.id));
    return present(await this.grant.narrowed(orgId, granted, turn.skills ?? []), agent.wire.tool_presentation);
  }

  /** Help of a router, or a tool that is not there. */
  private async unresolved(context: ToolContext, call: ToolCall) {
    const addressed = (await this.presentation(context)).address(call.name, call.input);
    if (addressed.kind === 'help') return { status: 'ok' as const, content: addressed.text, is_error: false };
    return failed(
      'not_found',
      addressed.kind === 'unknown'
        ? addressed.message
        : 'The tool came to be there only after the call; call it again.',
    );
  }
}
