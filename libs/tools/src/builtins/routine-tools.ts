import { Injectable } from '@nestjs/common';
import type { JsonObject } from '@aos/kernel';
import { CommandSender } from '@aos/platform';
import { ProposeRoutine } from '@aos/routines/published';
import { answering, type BuiltinCall, type BuiltinFamily } from './builtin-call.js';

/** `svc.routine.propose`: the person decides, and the routine is that person's (rule TE19). */
@Injectable()
export class RoutineTools implements BuiltinFamily {
  constructor(private readonly sender: CommandSender) {}

  readonly tools = { 'svc.routine.propose': answering((call: BuiltinCall) => this.propose(call)) };

  private propose({ who, input, call, context }: BuiltinCall): Promise<JsonObject> {
    const proposed = {
      ...(input as Pick<ProposeRoutine['input'], 'request' | 'reason'>),
      session_id: context.sessionId,
    };
    return this.sender.send(new ProposeRoutine(who, proposed, call.delivery_id));
  }
}
