import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolContext } from '@aos/sessions/published';
import type { ActionDelivery } from '../deliveries/http-deliveries.js';
import { TurnCallers } from './turn-callers.js';

/** Calls of custom actions by agents, as they are delivered. */
@Injectable()
export class AgentDeliveries {
  constructor(private readonly callers: TurnCallers) {}

  /** Of a call that ended up at an action. */
  of(
    context: ToolContext,
    { delivery_id: deliveryId, tool_call_id: toolCallId, resolved_action }: ToolCall,
  ): ActionDelivery {
    if (!resolved_action) throw new Error(`${deliveryId} has no action`);
    const { orgId, sessionId, agent, turn } = context;
    const { name, input: parameters } = resolved_action;
    const actor = { principalId: agent.id, kind: 'agent' as const };
    const origin = { kind: 'agent_tool_call' as const, turnId: turn.turn.id, sessionId, toolCallId };
    const use = {
      kind: 'agent' as const,
      agentId: agent.id,
      person: (provider: string) => this.callers.person(context, provider),
    };
    return { orgId, name, actor, origin, parameters, deliveryId, use };
  }
}
