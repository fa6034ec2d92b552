import type { ServerWritableStream } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Faults } from './faults.js';

/** The way to one reader: waits when the reader is slow, and knows when it is gone. */
export class Outlet {
  private gone = false;
  private wakeUp: (() => void) | undefined;

  constructor(
    private readonly call: ServerWritableStream<ReadReq, ReadResp>,
    private readonly faults: Faults,
  ) {
    const leave = () => {
      this.gone = true;
      this.wake();
    };
    for (const event of ['cancelled', 'close', 'error']) call.on(event, leave);
    call.on('drain', () => this.wake());
  }

  get closed(): boolean {
    return this.gone || this.call.cancelled || this.call.destroyed || this.call.writableEnded;
  }

  wake(): void {
    this.wakeUp?.();
  }

  /** Resolves when the reader is gone, or at a waking where `ready` holds; silent servers sleep on. */
  async sleep(ready: () => boolean): Promise<void> {
    while (!this.closed && (this.faults.silent || !ready())) {
      await new Promise<void>((resolve) => {
        this.wakeUp = resolve;
      });
    }
    this.wakeUp = undefined;
  }

  /** Resolves when the next message may follow. */
  async send(message: ReadResp): Promise<void> {
    if (this.faults.silent) await this.sleep(() => true);
    if (this.closed) return;
    if (!this.call.write(message)) await this.sleep(() => !this.call.writableNeedDrain);
  }
}
