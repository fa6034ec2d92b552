import { Command } from '@nestjs/cqrs';
import type { Identity } from '@aos/kernel';

/**
 * What a caller wants changed: who wants it, the input, and the id under which it is carried out once (null: the caller
 * gave none). A class of its own for each change, one line long; its handler carries it out.
 */
export abstract class CallerCommand<Input, Reply> extends Command<Reply> {
  constructor(
    readonly who: Identity,
    readonly input: Input,
    readonly deliveryId: string | null = null,
  ) {
    super();
  }
}
