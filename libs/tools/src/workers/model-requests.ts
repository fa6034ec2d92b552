import { Injectable } from '@nestjs/common';
import { LiveBus, StoreUnavailable, type JsonObject } from '@aos/kernel';
import { requestKey } from './channels.js';

const keptMs = 120_000;
const field = 'request';

/**
 * What models are asked, for the process that a worker claims at: the transcript once more, so it is not kept in the
 * log.
 *
 * Who waits for the answer keeps it there; when it is lost with that process, the turn is run again elsewhere and puts
 * it back.
 */
@Injectable()
export class ModelRequests {
  /** Of the calls that are waited for here: their workers may be here as well, and the bus may be away. */
  private readonly own = new Map<string, JsonObject>();

  constructor(private readonly bus: LiveBus) {}

  async keep(jobPart: string, request: JsonObject): Promise<void> {
    this.own.set(jobPart, request);
    try {
      await this.bus.setPreview(requestKey(jobPart), field, JSON.stringify(request), keptMs);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error; // put back at the next turn of the wait
    }
  }

  async find(jobPart: string): Promise<JsonObject | null> {
    const known = this.own.get(jobPart);
    if (known) return known;
    const text = (await this.bus.preview(requestKey(jobPart))).get(field);
    return text === undefined ? null : (JSON.parse(text) as JsonObject);
  }

  /** Nobody here waits for the answer any more; `isOver`: nobody anywhere will ask. */
  async drop(jobPart: string, request: JsonObject, isOver: boolean): Promise<void> {
    if (this.own.get(jobPart) === request) this.own.delete(jobPart);
    if (!isOver) return;
    try {
      await this.bus.dropPreview(requestKey(jobPart));
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error; // it ends by itself
    }
  }
}
