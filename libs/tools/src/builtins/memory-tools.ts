import { Injectable } from '@nestjs/common';
import { Refusal, type JsonObject } from '@aos/kernel';
import { Forget, RecallQueries, Remember, type MemoryPartition } from '@aos/definitions/published';
import { CommandSender } from '@aos/platform';
import { answering, type BuiltinCall, type BuiltinFamily } from './builtin-call.js';

/** `svc.memory.*`, in the partition of the person that the turn runs for (rule R36). */
@Injectable()
export class MemoryTools implements BuiltinFamily {
  constructor(
    private readonly memory: RecallQueries,
    private readonly sender: CommandSender,
  ) {}

  readonly tools = {
    'svc.memory.remember': answering((call: BuiltinCall) => this.remember(call)),
    'svc.memory.recall': answering((call: BuiltinCall) => this.recall(call)),
    'svc.memory.forget': answering((call: BuiltinCall) => this.forget(call)),
  };

  private async remember(call: BuiltinCall): Promise<JsonObject> {
    const { key, scope: _scope, ...given } = call.input;
    const desired = given as Remember['input']['desired'];
    const input = { ...entryKey(partition(call), String(key)), desired };
    return this.sender.send(new Remember(call.who, input, call.call.delivery_id));
  }

  private async recall(call: BuiltinCall): Promise<JsonObject> {
    const { key, ...filter } = call.input;
    if (key === undefined) return this.memory.recall(call.who, partition(call), filter);
    return { entry: await this.memory.recallKey(call.who, partition(call), String(key)) };
  }

  private async forget(call: BuiltinCall): Promise<JsonObject> {
    const input = entryKey(partition(call), String(call.input.key));
    return this.sender.send(new Forget(call.who, input, call.call.delivery_id));
  }
}

function partition({ agent, who: { actsFor }, input }: BuiltinCall): MemoryPartition {
  if (!agent.wire.memory_enabled) throw new Refusal('conflict', {}, 'the agent has no memory');
  return { agentId: agent.id, userId: actsFor.kind === 'human' && input.scope !== 'shared' ? actsFor.principalId : '' };
}

function entryKey({ agentId, userId }: MemoryPartition, key: string): Forget['input'] {
  return { agent_id: agentId, user_id: userId, key };
}
