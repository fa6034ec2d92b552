import { Injectable } from '@nestjs/common';
import type { JsonObject, ModelTool } from '@aos/kernel';
import { AgentDirectory } from '@aos/definitions/published';
import { Toolbox, type Dispatched, type ToolCall, type ToolContext } from '@aos/sessions/published';
import { Builtins } from './builtins/builtins.js';
import { HttpActions } from './deliveries/http-actions.js';
import { AgentGrant, agentIdentity } from './granting/agent-grant.js';
import { present, type Presentation } from './presentation/presentation.decide.js';
import { failed, toolBytesMax } from './tool-result.js';

/**
 * The tools of an agent: what its selectors name of the catalog.
 *
 * Shown as the agent was when its turn began. At dispatch the agent and the action are read again: what is granted no more gives an error and
 * leaves no trace outside (security S36; invariant 27).
 */
@Injectable()
export class GrantedToolbox extends Toolbox {
  constructor(
    private readonly agents: AgentDirectory, private readonly grant: AgentGrant, private readonly builtins: Builtins, private readonly http: HttpActions,
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

  override async dispatch(context: ToolContext, call: ToolCall, _progress: (progress: JsonObject) => void, signal: AbortSignal): Promise<Dispatched> {
    if (!call.resolved_action) return { outcome: await this.unresolved(context, call) };
    const { name, input } = call.resolved_action;
    if (Buffer.byteLength(JSON.stringify(input)) > toolBytesMax) return { outcome: failed('payload_too_large', `the input is over ${toolBytesMax} bytes`) };
    const { orgId, turn } = context;
    const agent = await this.agents.agent(orgId, context.agent.id);
    if (!agent || agent.deleted) return { outcome: failed('permission_denied', 'the agent is not there any more') };
    const who = agentIdentity(orgId, agent.id, turn.turn.id);
    const granted = await this.grant.actions(agent, who);
    const callable = await this.grant.narrowed(orgId, granted, turn.skills ?? []);
    const action = callable.find((entry) => entry.name === name);
    if (!action) return { outcome: failed('permission_denied', `${name} is not granted`) };
    signal.throwIfAborted();
    if (action.source === 'custom') {
      const origin = { kind: 'agent_tool_call' as const, turnId: turn.turn.id, sessionId: context.sessionId, toolCallId: call.tool_call_id };
      const actor = { principalId: agent.id, kind: who.kind };
      return { outcome: await this.http.run({ orgId, name, actor, origin, parameters: input, deliveryId: call.delivery_id }, signal) };
    }
    return this.builtins.run(action, { who, agent, granted, context, call, input });
  }

  private async presentation({ orgId, agent, turn }: ToolContext): Promise<Presentation> {
    const granted = await this.grant.actions(agent, agentIdentity(orgId, agent.id, turn.turn.id));
    return present(await this.grant.narrowed(orgId, granted, turn.skills ?? []), agent.wire.tool_presentation);
  }

  /** Help of a router, or a tool that is not there. */
  private async unresolved(context: ToolContext, call: ToolCall) {
    const addressed = (await this.presentation(context)).address(call.name, call.input);
    if (addressed.kind === 'help') return { status: 'ok' as const, content: addressed.text, is_error: false };
    return failed('not_found', addressed.kind === 'unknown' ? addressed.message : 'The tool came to be there only after the call; call it again.');
  }
}
