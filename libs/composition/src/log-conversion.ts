import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OperatorCommands } from '@aos/access/published';
import { logUsages } from './log-usages.js';

/** Moves some events of an older form of the log over; gives how many, 0 when none is left. */
export abstract class ConvertLog {
  abstract some(): Promise<number>;
}

/** The operator's `log convert` (ADR 25): goes on beside the appends until nothing is left, also without its caller. */
@Injectable()
export class LogConversion implements OnModuleInit {
  private running: Promise<number> | null = null;

  constructor(
    private readonly operator: OperatorCommands,
    private readonly log: ConvertLog,
  ) {}

  onModuleInit(): void {
    this.operator.register({ ...logUsages.convert, run: async () => ({ moved: await this.moved() }) });
  }

  /** Who asks while it is under way waits for the same one. */
  private moved(): Promise<number> {
    this.running ??= this.convert().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async convert(): Promise<number> {
    let moved = 0;
    for (let some = await this.log.some(); some > 0; some = await this.log.some()) moved += some;
    return moved;
  }
}
