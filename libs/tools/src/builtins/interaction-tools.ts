import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { CommandGateway, Refusal, notFound, type JsonObject } from '@aos/kernel';
import {
  InteractionDirectory,
  ListInteractions,
  interactionCommandNames,
  isOpenInteraction,
  interactionWire,
} from '@aos/interactions/published';
import {
  answering,
  type BuiltinAnswer,
  type BuiltinCall,
  type BuiltinFamily,
  type DirectTool,
} from './builtin-call.js';

/** `svc.interaction.*` and `svc.event.wait`. Reads come from here; writes go to the service that owns interactions. */
@Injectable()
export class InteractionTools implements BuiltinFamily {
  constructor(
    private readonly directory: InteractionDirectory,
    private readonly queries: QueryBus,
    private readonly gateway: CommandGateway,
  ) {}

  /** Actions for every caller with reach; asking and waiting need a session. */
  readonly directTools: Readonly<Record<string, DirectTool>> = {
    'svc.interaction.get': answering(async ({ who, input }) =>
      interactionWire(await this.directory.visible(who, String(input.interaction_id)), who),
    ),
    'svc.interaction.list': answering(({ who, input }) => this.queries.execute(new ListInteractions(who, input))),
    'svc.interaction.respond': answering(({ who, input: { interaction_id: id, ...body }, call }) =>
      this.gateway.send({
        name: interactionCommandNames.respond,
        payload: { interaction_id: String(id), body },
        identity: who,
        deliveryId: call.delivery_id,
      }),
    ),
    'svc.interaction.cancel': answering(({ who, input: { interaction_id: id, reason = null }, call }) =>
      this.gateway.send({
        name: interactionCommandNames.cancel,
        payload: { interaction_id: String(id), reason },
        identity: who,
        deliveryId: call.delivery_id,
      }),
    ),
  };

  readonly tools = {
    ...this.directTools,
    'svc.interaction.open': answering((call: BuiltinCall) => this.open(call)),
    'svc.event.wait': (call: BuiltinCall) => this.wait(call),
  };

  private open({ who, input, call, context }: BuiltinCall): Promise<JsonObject> {
    const payload = { body: input, turn_id: context.turn.turn.id, tool_call_id: call.tool_call_id };
    return this.gateway.send({
      name: interactionCommandNames.open,
      payload,
      identity: who,
      deliveryId: call.delivery_id,
    });
  }

  /**
   * A closed one answers at once; an open one is waited for where its outcome comes to: in the session that asked.
   * Rules T9, T10.
   */
  private async wait({ who, input, call, context }: BuiltinCall): Promise<BuiltinAnswer> {
    const interaction = await this.directory.visible(who, String(input.interaction_id));
    const { opening, status } = interaction;
    if (!isOpenInteraction(status))
      return {
        output: {
          event_type: 'interaction.resolved',
          interaction_id: opening.id,
          interaction: interactionWire(interaction, who),
        },
      };
    if (opening.consumer.kind !== 'agent_tool')
      throw new Refusal('conflict', {}, 'its outcome does not come to this session');
    if (opening.consumer.agent_tool.session_id !== context.sessionId) throw notFound('interaction');
    return {
      wait: {
        kind: 'interaction',
        interaction_id: opening.id,
        tool_call_id: call.tool_call_id,
        ...(opening.expires_at === null ? {} : { expires_at: opening.expires_at }),
      },
    };
  }
}
