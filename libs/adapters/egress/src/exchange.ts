import { errors } from 'undici';
import { type Clock, EgressFailure, type EgressRequest, untilAborted } from '@aos/kernel';

/** One exchange's bound in time, and what is known of how far it came. */
export class Exchange {
  connected = false;
  /** Gives back what the exchange holds: its connection, once there is one. */
  release: () => Promise<void> = () => Promise.resolve();
  private readonly abort = new AbortController();
  private readonly timer: { cancel(): void };
  private readonly stop: () => void;

  constructor(
    private readonly request: Pick<EgressRequest, 'timeoutMs' | 'signal'>,
    clock: Clock,
  ) {
    this.timer = clock.after(request.timeoutMs, () =>
      this.abort.abort(new EgressFailure('timeout', this.connected, 'no answer in time')),
    );
    this.stop = () => this.abort.abort(new EgressFailure('aborted', this.connected, 'given up by the caller'));
    if (request.signal?.aborted) this.stop();
    else request.signal?.addEventListener('abort', this.stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Settles with the work, or as soon as time is up. */
  bounded<T>(work: Promise<T>): Promise<T> {
    return untilAborted(work, this.signal);
  }

  failure(error: unknown): EgressFailure {
    if (this.signal.reason instanceof EgressFailure) return this.signal.reason;
    if (error instanceof EgressFailure) return error;
    if (error instanceof errors.InvalidArgumentError)
      return new EgressFailure('invalid_url', false, 'a header cannot be sent', { cause: error });
    return new EgressFailure('unreachable', this.connected, this.connected ? 'the connection broke' : 'no connection', {
      cause: error,
    });
  }

  async end(): Promise<void> {
    this.timer.cancel();
    this.request.signal?.removeEventListener('abort', this.stop);
    await this.release();
  }
}
