import type { DynamicModule, InjectionToken, Provider } from '@nestjs/common';
import {
  MemoryBlobs,
  MemoryEventStore,
  MemoryLeases,
  MemoryLiveBus,
  MemoryReadStore,
  MemorySnapshots,
} from '@aos/adapters/memory';
import { SystemIds } from '@aos/adapters/system';
import { Blobs, Clock, EventStore, Ids, Leases, LiveBus, ReadStore, Snapshots } from '@aos/kernel';
import {
  BrowserTokens,
  CursorSeal,
  Decisions,
  KeyRing,
  OwnProjections,
  OwnStreams,
  Payloads,
  Projectors,
  Readiness,
  Settings,
  WriterProjections,
  loadSettings,
} from '@aos/platform';

class MemoryWorldModule {}

const testKeys = new KeyRing([{ keyId: 'test', secret: Buffer.alloc(32, 1) }]);

/** Every port on memory, for specs of this context; two processes share `store`, `bus` and `readStore`. */
export class MemoryWorld {
  readonly store: MemoryEventStore;
  readonly readStore = new MemoryReadStore();
  readonly bus: MemoryLiveBus;
  readonly faults: unknown[] = [];

  constructor(
    readonly clock: Clock,
    { soleWriter = true, store }: { soleWriter?: boolean; store?: MemoryEventStore } = {},
  ) {
    this.store = store ?? new MemoryEventStore({ clock, soleWriter });
    this.bus = new MemoryLiveBus({ clock, onTrouble: (fault) => this.faults.push(fault) });
  }

  /**
   * A global module with the ports and the write path of one process. An app that is served provides the clock, the
   * seal of cursors, the settings and its readiness itself.
   */
  module({ withClock }: { withClock: boolean }): DynamicModule {
    const ports: [InjectionToken, unknown][] = [
      [EventStore, this.store],
      [ReadStore, this.readStore],
      [LiveBus, this.bus],
      [Snapshots, new MemorySnapshots()],
      [Leases, new MemoryLeases(this.clock)],
      [Blobs, new MemoryBlobs()],
      [Ids, new SystemIds()],
      [OwnStreams, new OwnStreams()],
    ];
    if (withClock)
      ports.push(
        [Clock, this.clock],
        [Readiness, new Readiness()],
        [Settings, loadSettings({}, 'embedded')],
        [CursorSeal, new CursorSeal(testKeys)],
        [BrowserTokens, new BrowserTokens(testKeys)],
      );
    const own = [Payloads, WriterProjections, Decisions, OwnProjections, Projectors];
    const providers: Provider[] = [...ports.map(([provide, useValue]): Provider => ({ provide, useValue })), ...own];
    return { module: MemoryWorldModule, global: true, providers, exports: [...ports.map(([token]) => token), ...own] };
  }
}
