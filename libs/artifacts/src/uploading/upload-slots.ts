import { Injectable } from '@nestjs/common';
import { Clock, FairQueue, OrganizationSlots } from '@aos/kernel';
import { RefusalWithHeaders } from '@aos/platform';

/** Uploads of one process, and of one organization in it; the rest wait unread (rule TE2). */
const uploadsMax = 16;
const uploadsOfOneMax = 4;
const waitingMax = 512;
const waitingOfOneMax = 128;
const waitMs = 60_000;
const retrySeconds = '5';

interface Waiting {
  orgId: string;
  begin: () => void;
  isOver: boolean;
}

/** Slots of uploads: the organizations take turns. */
@Injectable()
export class UploadSlots {
  private readonly slots = new OrganizationSlots({ all: uploadsMax, perOrganization: uploadsOfOneMax });
  private readonly queue = new FairQueue<Waiting>(waitingOfOneMax, waitingMax);

  constructor(private readonly clock: Clock) {}

  /**
   * Gives    what frees the slot, once there is one.
   * Refuses  service_unavailable when none is free for 60 s, too many wait, or `left` is over before.
   */
  async take(orgId: string, left: AbortSignal): Promise<() => void> {
    if (!this.slots.hasRoom(orgId)) await this.turn(orgId, left);
    else this.slots.take(orgId);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.slots.free(orgId);
      this.next();
    };
  }

  private turn(orgId: string, left: AbortSignal): Promise<void> {
    if (!this.queue.hasRoom(orgId)) throw busy();
    return new Promise((begin, refuse) => {
      const stop = () => {
        waiting.isOver = true;
        timer.cancel();
        left.removeEventListener('abort', stop);
        refuse(busy());
      };
      const waiting: Waiting = {
        orgId,
        isOver: false,
        begin: () => {
          timer.cancel();
          left.removeEventListener('abort', stop);
          begin();
        },
      };
      const timer = this.clock.after(waitMs, stop);
      left.addEventListener('abort', stop);
      this.queue.push(orgId, waiting);
      if (left.aborted) stop();
    });
  }

  /** Those that gave up are passed over. */
  private next(): void {
    for (;;) {
      const waiting = this.queue.shift((orgId) => this.slots.hasRoom(orgId));
      if (!waiting) return;
      if (waiting.isOver) continue;
      this.slots.take(waiting.orgId);
      waiting.begin();
    }
  }
}

function busy(): RefusalWithHeaders {
  return new RefusalWithHeaders(
    'service_unavailable',
    { 'retry-after': retrySeconds },
    {},
    'too many uploads go on, try again',
  );
}
