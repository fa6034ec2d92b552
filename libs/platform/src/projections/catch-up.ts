import type { Clock, EventStore, EventSubscription, RecordedEvent, SubscribeOptions } from '@aos/kernel';
import { CatchUpPass, type CatchUpMember } from './catch-up-pass.js';
import { CatchUpReader } from './catch-up-reader.js';
import { logStart } from './checkpoint.js';

type Handler = (events: RecordedEvent[]) => Promise<void>;

type Log = Pick<EventStore, 'subscribe'>;

/**
 * Has the readers of one process that are behind the log read it together: each event is fetched and decoded once for
 * all of them, in batches that lie ready ahead. Who has caught up reads for itself.
 *
 * Promises to each reader what a subscription of the store promises, but `onPosition` while it is behind. One that
 * fails leaves the others, one that is slow leaves after some seconds; it joins again, or reads behind them.
 */
export class CatchUp implements Log {
  private static readonly ofLogs = new WeakMap<Log, CatchUp>();
  private readonly passes = new Set<CatchUpPass>();

  constructor(
    private readonly store: Log,
    private readonly clock: Clock,
  ) {}

  /** The one of a process: its projectors, whichever module they are of, read the same log. */
  static of(store: Log, clock: Clock): CatchUp {
    let known = CatchUp.ofLogs.get(store);
    if (!known) CatchUp.ofLogs.set(store, (known = new CatchUp(store, clock)));
    return known;
  }

  subscribe(options: SubscribeOptions, handler: Handler): EventSubscription {
    if (options.from === 'end') return this.store.subscribe(options, handler);
    return new CatchUpReader(
      { store: this.store, clock: this.clock, join: (member) => this.join(member) },
      options,
      handler,
      options.from === 'start' ? logStart : options.from,
    );
  }

  private join(member: CatchUpMember): CatchUpPass {
    let pass = [...this.passes].find((running) => running.accepts(member.position));
    if (!pass) {
      const begun = new CatchUpPass(this.store, this.clock, member.position, () => {
        this.passes.delete(begun);
      });
      this.passes.add(begun);
      pass = begun;
    }
    pass.add(member);
    return pass;
  }
}
