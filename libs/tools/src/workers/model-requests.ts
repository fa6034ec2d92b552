import { Injectable } from '@nestjs/common';
import { LiveBus, StoreUnavailable, type JsonObject } from '@aos/kernel';
import { requestKey } from './channels.js';

const keptMs = 120_000;
const field = 'request';

/**
 * Requests to models, for the process that a worker claims at. They repeat the transcript, so the log does not keep
 * them.
 *
 * The process that waits for the answer keeps the request there. When it is lost with that process, the turn runs again
 * elsewhere and puts it back.
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

  /** Drops a request when this process no longer waits for the answer; `isOver`: no process will ask for it again. */
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
