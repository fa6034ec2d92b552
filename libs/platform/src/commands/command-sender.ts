import { Injectable } from '@nestjs/common';
import { CommandGateway, type JsonObject } from '@aos/kernel';
import type { CallerCommand } from './caller-command.js';
import { routedOf } from './routed.js';

/** Sends routed commands: carried out here when this process does that, else by the service that owns them. */
@Injectable()
export class CommandSender {
  constructor(private readonly gateway: CommandGateway) {}

  /**
   * Takes    a command with a delivery id: a repeat of it answers as the first time.
   * Gives    the handler's reply.
   * Refuses  `bad_request` for an input that the schema does not allow, before it is carried out or posted; what the
   *          handler refuses; `StoreUnavailable` where the owner cannot be reached.
   */
  async send<Reply>(command: CallerCommand<unknown, Reply>): Promise<Reply> {
    const routed = routedOf(command.constructor);
    if (!routed) throw new Error(`${command.constructor.name} is not routed`);
    if (command.deliveryId === null) throw new Error(`${routed.name} was sent without a delivery id`);
    const { who: identity, deliveryId } = command;
    return (await this.gateway.send({
      name: routed.name,
      payload: command.input as JsonObject,
      identity,
      deliveryId,
    })) as Reply;
  }
}
