import { Injectable } from '@nestjs/common';
import { Refusal, notFound, type JsonObject } from '@aos/kernel';
import {
  AskInTurn,
  AskingSessions,
  CancelOwnInteraction,
  InteractionDirectory,
  InteractionQueries,
  RespondToInteraction,
  isOpenInteraction,
  interactionWire,
} from '@aos/interactions/published';
import { CommandSender } from '@aos/platform';
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
    private readonly interactions: InteractionQueries,
    private readonly sender: CommandSender,
    private readonly asking: AskingSessions,
  ) {}

  /** Actions for every caller with reach; asking and waiting need a session. */
  readonly directTools: Readonly<Record<string, DirectTool>> = {
    'svc.interaction.get': answering(({ who, input }) => this.interactions.get(who, String(input.interaction_id))),
    'svc.interaction.list': answering(({ who, input }) => this.interactions.list(who, input)),
    'svc.interaction.respond': answering(({ who, input: { interaction_id: id, ...body }, call }) =>
      this.sender.send(new RespondToInteraction(who, { interaction_id: String(id), body }, call.delivery_id)),
    ),
    'svc.interaction.cancel': answering(({ who, input: { interaction_id: id, reason = null }, call }) =>
      this.sender.send(
        new CancelOwnInteraction(
          who,
          { interaction_id: String(id), reason: reason as string | null },
          call.delivery_id,
        ),
      ),
    ),
  };

  readonly tools = {
    ...this.directTools,
    'svc.interaction.open': answering((call: BuiltinCall) => this.open(call)),
    'svc.event.wait': (call: BuiltinCall) => this.wait(call),
  };

  /** The session shows the question before the call ends, so before anything of the turn that comes after it. */
  private async open({ who, input, call, context }: BuiltinCall): Promise<JsonObject> {
    const asked = {
      body: input as AskInTurn['input']['body'],
      turn_id: context.turn.turn.id,
      tool_call_id: call.tool_call_id,
    };
    const opened = await this.sender.send(new AskInTurn(who, asked, call.delivery_id));
    await this.asking.mirror(opened.id, 0);
    return opened;
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
