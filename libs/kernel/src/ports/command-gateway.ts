import type { Identity } from '../identity.js';
import type { JsonObject } from '../json.js';

export interface GatewayCommand {
  /** Name that the owning context registered, such as `tables.save_row`. */
  name: string;
  payload: JsonObject;
  /** The acting principal. */
  identity: Identity;
  /** The same id is carried out once; the target keeps it in its state. */
  deliveryId: string;
}

/**
 * The way to change another context's facts. Promises: a repeated delivery id answers as the first time. Throws the
 * target's `Refusal`, or `StoreUnavailable`.
 */
export abstract class CommandGateway {
  abstract send(command: GatewayCommand): Promise<JsonObject>;
}
