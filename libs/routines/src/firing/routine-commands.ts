import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, Refusal, rfc3339, type GatewayCommand, type JsonObject } from '@aos/kernel';
import { CommandHandlers, Decisions, actorOf } from '@aos/platform';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { routineKind } from '../routine/routine.state.js';
import { suspendRoutine } from '../routines/routines.decide.js';

/** Handles the commands that runs of routines send to the service that writes routines. Payload: `{routine_id}`. */
@Injectable()
export class RoutineCommands implements OnModuleInit {
  constructor(
    private readonly handlers: CommandHandlers,
    private readonly directory: RoutineDirectory,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('routines.verify', (command) => this.verify(command));
  }

  /**
   * Pauses a routine that cannot go on: its agent or its owner is gone, or its source was revoked. A repeat changes
   * nothing.
   */
  private async verify({ identity, payload }: GatewayCommand): Promise<JsonObject> {
    if (identity.kind !== 'system') throw new Refusal('forbidden');
    const seen = await this.directory.find(identity.orgId, String(payload.routine_id));
    const reason = seen && (await this.directory.fault(seen));
    if (!seen || reason === null) return { fault: null };
    await this.decisions.run(routineKind, seen.id, actorOf(identity), (state) =>
      suspendRoutine({ reason, seen, now: rfc3339(this.clock.now()) }, state),
    );
    return { fault: reason };
  }
}
