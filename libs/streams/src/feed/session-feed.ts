import { resolvesWithin, type BusSubscription, type Clock, type LiveBus } from '@aos/kernel';
import { liveChannel, type Announcement, type LiveSignal, type TurnRecord } from '@aos/sessions/published';
import type { EncodedFrame, SessionNames } from '../frames/encoded.frames.js';
import { callPatches, type CallPositions } from '../frames/tool-status.frames.js';
import type { ChangeNotifier } from './change-notifier.js';
import { FrameBuffer } from './frame-buffer.js';
import { LivePreviews } from './live-previews.js';
import { LiveProgress } from './live-progress.js';
import type { LiveChange } from '../frames/live-row.frames.js';
import type { EventFrame, LiveNow, Protocol } from './protocol.js';
import { advance, isIdle, type SessionFacts } from './session-facts.js';
import { callsOf, type SessionEventAt, type SessionLog } from './session-log.js';
import { deferredSignalsMax, readPage, subscribeMs, bufferBytesMax, bufferEntriesMax } from './stream.limits.js';
import { Viewer, type Delivery, type FrameSink, type ViewerSource } from './viewer.js';

export interface FeedOptions {
  names: SessionNames;
  /** Facts as of `head`. */
  facts: SessionFacts;
  head: number;
  log: SessionLog;
  bus: LiveBus;
  clock: Clock;
  /** Says that the session is followed here. */
  announcement: Announcement;
  onTrouble: (error: unknown) => void;
  /** Live frames were dropped for a slow reader. */
  onDropped?: (frames: number) => void;
}

export interface ViewOptions {
  protocol: Protocol;
  sink: FrameSink;
  /** Last revision that the reader has; -1 for none. */
  after: number;
  /** Written before anything else. */
  bootstrap?: readonly EncodedFrame[];
  /** Ends when this turn is final, even while other turns are open (rule T26). */
  untilFinal?: string;
}

interface Track {
  buffer: FrameBuffer<EventFrame>;
  viewers: Set<Viewer>;
  source: ViewerSource;
}

/**
 * One watched session in this process: reads each new event once, encodes it once per protocol, and lets every viewer
 * pull.
 *
 * Durable frames come from the log, exactly the next revision each time: a notification below the head is dropped, one
 * above it reads what lies between. Live frames come from the bus, in step with the log: they wait while it is read,
 * and what is committed is not shown again.
 */
export class SessionFeed {
  readonly names: SessionNames;
  head: number;
  private readonly facts: SessionFacts;
  private readonly calls: CallPositions = new Map();
  private readonly tracks = new Map<Protocol, Track>();
  /** Viewers that wait for their reader or the log, or that could not go on. */
  private readonly needUpkeep = new Set<Viewer>();
  private readonly previews: LivePreviews;
  private readonly progress: LiveProgress;
  private deferred: LiveSignal[] = [];
  /** The read that runs. */
  private pull: Promise<void> | null = null;
  /** Up to which revision something may lie behind the head that no read has looked for yet; infinite: to the end. */
  private notifiedTo = -1;
  private closed = false;
  private subscriptions: BusSubscription[] = [];

  constructor(private readonly options: FeedOptions) {
    this.names = options.names;
    this.head = options.head;
    this.facts = options.facts;
    this.progress = new LiveProgress({
      facts: this.facts,
      clock: options.clock,
      tell: (signal) => {
        this.show({ type: 'tool_call', signal });
      },
      onTrouble: options.onTrouble,
    });
    this.previews = new LivePreviews({
      sessionId: this.names.sessionId,
      bus: options.bus,
      clock: options.clock,
      onTrouble: options.onTrouble,
      tell: (change) => {
        this.tell(change);
      },
      isAhead: (turnId, turnIndex) => turnIndex >= (this.facts.open.get(turnId)?.nextIndex ?? Infinity),
    });
  }

  get viewerCount(): number {
    let count = 0;
    for (const { viewers } of this.tracks.values()) count += viewers.size;
    return count;
  }

  /** Records of open turns as of the head. */
  openTurns(): TurnRecord[] {
    return [...this.facts.open.values()].map(({ turn }) => turn);
  }

  get isDeleted(): boolean {
    return this.facts.deleted;
  }

  /** Listens to notifier and bus; resolves when what is published from now on arrives, or the bus is down. */
  async listen(notifier: ChangeNotifier): Promise<void> {
    const { sessionId } = this.names;
    this.subscriptions = [
      notifier.watch(sessionId, (revision) => {
        this.notify(revision);
      }),
      liveChannel.subscribe(this.options.bus, sessionId, (signal) => {
        this.signal(signal);
      }),
    ];
    const ready = Promise.all(this.subscriptions.map((subscription) => subscription.ready));
    if (!(await resolvesWithin(this.options.clock, subscribeMs, ready)))
      ready.then(() => {
        this.afterLoss();
      }, this.options.onTrouble);
    this.options.announcement.begin();
    await this.catchUp();
    await this.readLive();
  }

  close(): void {
    this.closed = true;
    this.previews.close();
    this.progress.close();
    for (const subscription of this.subscriptions) subscription.close();
  }

  /** The stream is said to be at a revision. */
  notify(revision: number): void {
    if (revision > this.head) this.catchUp(revision).catch(this.options.onTrouble);
  }

  /**
   * Reads up to a revision that the log is known to have, or up to its end as it is now or later.
   *
   * Refuses  `StoreUnavailable`; what was read until then is delivered, and upkeep tries again.
   */
  catchUp(to = Infinity): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.notifiedTo = Math.max(this.notifiedTo, to);
    this.pull ??= this.readWhileNotified();
    return this.pull;
  }

  /** Messages of the bus were lost: what streams is read again. */
  afterLoss(): void {
    if (this.closed) return;
    this.options.announcement.say();
    this.readLive({ mayBeBehind: true }).catch(this.options.onTrouble);
  }

  /** Adds a reader; frames flow at once, until it leaves. */
  view({ protocol, sink, after, bootstrap, untilFinal }: ViewOptions): Viewer {
    const { viewers, source } = this.trackOf(protocol);
    const viewer = new Viewer(sink, source, after, Math.max(this.head, after), untilFinal);
    for (const { bytes } of bootstrap ?? []) sink.write(bytes);
    viewers.add(viewer);
    viewer.wake();
    return viewer;
  }

  /** Called when the reader is gone; a second time does nothing. */
  leave(viewer: Viewer): void {
    this.needUpkeep.delete(viewer);
    for (const [protocol, { viewers }] of this.tracks) {
      if (viewers.delete(viewer) && viewers.size === 0) this.tracks.delete(protocol);
    }
  }

  /**
   * Ends or wakes readers for whom time alone changed something. Those who were told everything cost nothing, and they
   * are nearly all.
   */
  upkeep(stalledMax: number): void {
    this.options.announcement.renew();
    if (this.notifiedTo > this.head && !this.pull) this.catchUp(this.notifiedTo).catch(this.options.onTrouble);
    for (const viewer of this.needUpkeep) {
      if (viewer.stalledMs() >= stalledMax) viewer.sink.destroy();
      else if (viewer.isBehind) viewer.wake();
    }
    if (isIdle(this.facts, this.options.clock.now())) this.wakeAll();
  }

  /** `mayBeBehind`: the log may have calls that were not read yet. */
  private async readLive({ mayBeBehind = false } = {}): Promise<void> {
    const turns = [...this.facts.open];
    await this.previews.refresh(turns.map(([id]) => id));
    if (!turns.some(([, { calls }]) => mayBeBehind || calls.size > 0)) return;
    const kept = await this.progress.read(this.options.bus, this.names.sessionId);
    if (mayBeBehind && kept.some((signal) => !this.isRead(signal))) await this.catchUp();
    for (const signal of kept) this.progress.takeKept(signal);
  }

  private trackOf(protocol: Protocol): Track {
    let track = this.tracks.get(protocol);
    if (!track) {
      track = {
        buffer: new FrameBuffer(bufferEntriesMax, bufferBytesMax),
        viewers: new Set(),
        source: this.sourceFor(protocol),
      };
      this.tracks.set(protocol, track);
    }
    return track;
  }

  private async readWhileNotified(): Promise<void> {
    let hasFailed = false;
    let lookedFor = 0; // of the deferred signals, those that a read to the end began behind
    try {
      while (this.notifiedTo > this.head && !this.closed) {
        const to = this.notifiedTo;
        this.notifiedTo = -1;
        if (to === Infinity) lookedFor = this.deferred.length;
        await this.readOn(to);
        // the log has by now what these are about, behind where it was read to
        if (this.deferred.slice(lookedFor).some((signal) => !this.isRead(signal))) this.notifiedTo = Infinity;
      }
    } catch (error) {
      hasFailed = true;
      this.notifiedTo = Infinity;
      throw error;
    } finally {
      this.pull = null;
      this.showDeferred(hasFailed);
      this.wakeAll();
    }
  }

  private async readOn(to: number): Promise<void> {
    const own = this.options.log.own(this.names.sessionId, this.head, to);
    if (own) return this.takeAll(own);
    for (;;) {
      const page = await this.options.log.after(this.names.sessionId, this.head);
      await this.takeAll(page);
      if (page.length < readPage) return;
    }
  }

  private async takeAll(events: readonly SessionEventAt[]): Promise<void> {
    for (const event of events) {
      if (this.closed) return;
      if (event.revision > this.head) await this.take(event);
    }
    if (events.length > 0) this.wakeAll();
  }

  private async take(event: SessionEventAt): Promise<void> {
    if (event.revision !== this.head + 1)
      throw new Error(`${this.names.sessionId}: revision ${event.revision} after ${this.head}`);
    if (callsOf(event).some((id) => !this.calls.has(id)))
      await this.options.log.findCalls(this.names.sessionId, event, this.calls);
    let notesCalls = true;
    for (const [protocol, { buffer }] of this.tracks) {
      const frames = protocol.events(event, this.names, this.calls);
      if (protocol.name === 'v2') notesCalls = false;
      buffer.push({
        revision: event.revision,
        frames,
        bytes: frames.reduce((sum, { bytes }) => sum + bytes.length, 0),
      });
    }
    if (notesCalls) callPatches(event, this.calls);
    advance(this.facts, event);
    this.head = event.revision;
    this.previews.committed(event);
    this.progress.committed();
  }

  private wakeAll(): void {
    for (const { viewers } of this.tracks.values()) for (const viewer of viewers) viewer.wake();
  }

  private signal(signal: LiveSignal): void {
    if (this.closed) return;
    if (!this.pull && this.isRead(signal)) {
      this.apply(signal);
      return;
    }
    if (this.deferred.length < deferredSignalsMax) this.deferred.push(signal);
    if (!this.pull) this.catchUp().catch(this.options.onTrouble);
  }

  /** Whether the turn, and the tool call, that a signal is about were read from the log. */
  private isRead(signal: LiveSignal): boolean {
    if (signal.turn_id === null) return true;
    const open = this.facts.open.get(signal.turn_id);
    if (!open || signal.type !== 'tool_call') return open !== undefined;
    return open.calls.has(signal.tool_call_id) || this.calls.has(signal.tool_call_id);
  }

  /** Shows what waited for the log. `hasFailed`: it was not read to its end; what it may still have goes on waiting. */
  private showDeferred(hasFailed: boolean): void {
    const deferred = this.deferred;
    this.deferred = [];
    for (const signal of deferred) {
      if (hasFailed && !this.isRead(signal)) this.deferred.push(signal);
      else if (signal.turn_id === null || this.facts.open.has(signal.turn_id)) this.apply(signal);
    }
  }

  private apply(signal: LiveSignal): void {
    const open = signal.turn_id ? this.facts.open.get(signal.turn_id) : undefined;
    if ('turn_index' in signal && open && signal.turn_index < open.nextIndex) return; // committed already
    this.previews.apply(signal);
  }

  private tell(change: LiveChange): void {
    if (change.type === 'tool_call') this.progress.take(change.signal);
    else this.show(change);
  }

  private show(change: LiveChange): void {
    for (const [protocol, { viewers }] of this.tracks) {
      let frames: readonly EncodedFrame[] | null = null;
      for (const viewer of viewers) {
        if (!viewer.isLive) continue;
        frames ??= protocol.live(change, this.names, this.calls);
        if (frames.length === 0) break;
        for (const frame of frames) viewer.live(frame, this.head);
        viewer.wake();
      }
    }
  }

  private liveNow(): LiveNow {
    return { facts: this.facts, rows: this.previews.streaming(), progress: this.progress.shown(), calls: this.calls };
  }

  private sourceFor(protocol: Protocol): ViewerSource {
    return {
      head: () => this.head,
      now: () => this.options.clock.monotonic(),
      trouble: this.options.onTrouble,
      needsUpkeep: (viewer, isNeeded) => {
        this.needUpkeep[isNeeded ? 'add' : 'delete'](viewer);
      },
      dropped: (frames) => {
        this.options.onDropped?.(frames);
      },
      deliveries: (viewer, from) => this.kept(protocol, viewer, from) ?? this.fromLog(protocol, viewer, from),
      joinFrames: () => protocol.join(this.names, this.liveNow(), this.head),
      overflowFrame: () => protocol.overflow(this.names),
      closingFrame: (viewer) => {
        if (!viewer.isLive || viewer.next <= this.head || this.pull) return null;
        const isOver =
          viewer.untilFinal !== null
            ? !this.facts.open.has(viewer.untilFinal)
            : isIdle(this.facts, this.options.clock.now());
        return isOver ? protocol.idle(this.names) : null;
      },
    };
  }

  private kept(protocol: Protocol, viewer: Viewer, from: number): Delivery[] | null {
    const entry = this.tracks.get(protocol)?.buffer.get(from);
    return entry ? [shown(entry, viewer)] : null;
  }

  private async fromLog(protocol: Protocol, viewer: Viewer, from: number): Promise<Delivery[]> {
    const { calls } = viewer;
    const { sessionId } = this.names;
    const own = this.options.log.own(sessionId, from - 1, this.head);
    const events = own ?? (await this.options.log.after(sessionId, from - 1, readPage, bufferBytesMax));
    const deliveries: Delivery[] = [];
    for (const event of events) {
      if (event.revision > this.head) break;
      if (callsOf(event).some((id) => !calls.has(id)))
        await this.options.log.findCalls(this.names.sessionId, event, calls);
      deliveries.push(shown({ revision: event.revision, frames: protocol.events(event, this.names, calls) }, viewer));
    }
    if (deliveries.length === 0) throw new Error(`${this.names.sessionId}: revision ${from} cannot be read`);
    return deliveries;
  }
}

/** What a viewer sees of a revision: history leaves out what was said only to those who were there. */
function shown({ revision, frames }: { revision: number; frames: readonly EventFrame[] }, viewer: Viewer): Delivery {
  return { revision, frames: revision <= viewer.cut ? frames.filter(({ replayed }) => replayed) : frames };
}
