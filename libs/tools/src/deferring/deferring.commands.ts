import { Command } from '@nestjs/cqrs';
import type { JsonObject } from '@aos/kernel';
import type { DeliveryResultDto } from './deferring.dto.js';

/** What comes with a callback token in place of a key. */
export interface Callback {
  deliveryId: string;
  token: string;
}

export class FinishDelivery extends Command<undefined> {
  constructor(
    readonly callback: Callback,
    readonly result: DeliveryResultDto,
  ) {
    super();
  }
}

export class ReportDelivery extends Command<undefined> {
  constructor(
    readonly callback: Callback,
    readonly progress: JsonObject,
  ) {
    super();
  }
}
