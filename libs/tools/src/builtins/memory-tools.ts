import { Injectable } from '@nestjs/common';
import { Refusal, type JsonObject } from '@aos/kernel';
import { MemoryCommands, type MemoryPartition } from '@aos/definitions/published';
import { answering, type BuiltinCall, type BuiltinFamily } from './builtin-call.js';

type Desired = Parameters<MemoryCommands['remember']>[3];

/** `svc.memory.*`, in the partition of the person that the turn runs for (rule R36). */
@Injectable()
export class MemoryTools implements BuiltinFamily {
  constructor(private readonly memory: MemoryCommands) {}

  readonly tools = {
    'svc.memory.remember': answering((call: BuiltinCall) => this.remember(call)),
    'svc.memory.recall': answering((call: BuiltinCall) => this.recall(call)),
    'svc.memory.forget': answering((call: BuiltinCall) =>
      this.memory.forget(call.who, partition(call), String(call.input.key), call.call.delivery_id),
    ),
  };

  private remember(call: BuiltinCall): Promise<JsonObject> {
    const { key, scope: _scope, ...desired } = call.input;
    return this.memory.remember(
      call.who,
      partition(call),
      String(key),
      desired as unknown as Desired,
      call.call.delivery_id,
    );
  }

  private async recall(call: BuiltinCall): Promise<JsonObject> {
    const { key, ...filter } = call.input;
    if (key === undefined) return this.memory.recall(call.who, partition(call), filter);
    return { entry: await this.memory.recallKey(call.who, partition(call), String(key)) };
  }
}

function partition({ agent, who: { actsFor }, input }: BuiltinCall): MemoryPartition {
  if (!agent.wire.memory_enabled) throw new Refusal('conflict', {}, 'the agent has no memory');
  return { agentId: agent.id, userId: actsFor.kind === 'human' && input.scope !== 'shared' ? actsFor.principalId : '' };
}
