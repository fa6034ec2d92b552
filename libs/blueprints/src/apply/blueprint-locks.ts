import { Injectable, Logger } from '@nestjs/common';
import { Clock, EventStore, Ids, LiveBus, Refusal, rfc3339, type Identity, messageOf } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { blueprintDecider } from '../blueprint.decider.js';
import type { IntendedEntry } from '../blueprint/blueprint.events.js';
import {
  changeLivesMs,
  changeLookMs,
  changeSignMs,
  changeWaitMs,
  entriesPerAppend,
} from '../blueprint/blueprint.limits.js';
import { blueprintKind, blueprintStreamId, type BlueprintIdentity } from '../blueprint/blueprint.state.js';

/** The right to change one blueprint: one change has it at a time. */
export interface BlueprintLock {
  /** Records which resources are about to be bound, before the first of them is. */
  intend(entries: readonly IntendedEntry[]): Promise<void>;
  /**
   * Prolongs the lock when that is due; called before each write. Refuses conflict when another change took the lock
   * over.
   */
  renew(): Promise<void>;
}

/** Applies, deletes and changes of protection of one blueprint run one after the other (rule B28). */
@Injectable()
export class BlueprintLocks {
  private readonly logger = new Logger('blueprints');
  private readonly process: string;
  private readonly alive = new Set<string>();

  constructor(
    private readonly decisions: Decisions,
    private readonly store: EventStore,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {
    this.process = this.ids.ulid();
  }

  /**
   * Runs `work` while no other change of the blueprint runs.
   *
   * Refuses  conflict when another is still under way after 10 seconds. One whose process died is taken over once it
   *          has given no sign of life for 8 seconds; at once when no other process can write.
   */
  async withLock<T>(who: Identity, identity: BlueprintIdentity, work: (lock: BlueprintLock) => Promise<T>): Promise<T> {
    const stream = blueprintStreamId(who.orgId, identity);
    const changeId = this.ids.ulid();
    this.alive.add(changeId);
    try {
      await this.begin(who, stream, identity, changeId);
      try {
        return await work(this.lock(who, stream, changeId));
      } finally {
        await this.end(who, stream, changeId);
      }
    } finally {
      this.alive.delete(changeId);
    }
  }

  private async begin(who: Identity, stream: string, identity: BlueprintIdentity, changeId: string): Promise<void> {
    const deadline = this.clock.monotonic() + changeWaitMs;
    const watch = new StreamWatch(this.bus, this.clock, `ring:${blueprintKind.category}-${stream}`);
    try {
      for (;;) {
        watch.reset();
        const change = {
          org_id: who.orgId,
          namespace: identity.namespace,
          blueprint_key: identity.blueprintKey,
          change_id: changeId,
          process: this.process,
          until: this.until(),
        };
        const command = { change, nowMs: this.clock.now(), soleWriter: this.store.soleWriter, alive: this.alive };
        const { events } = await this.decisions.decide(blueprintDecider.beginChange, stream, actorOf(who), command);
        if (events.length > 0) return;
        const rest = deadline - this.clock.monotonic();
        if (rest <= 0) throw new Refusal('conflict', {}, 'another change of this blueprint is under way');
        await watch.changed(Math.min(rest, changeLookMs));
      }
    } finally {
      watch.close();
    }
  }

  private lock(who: Identity, stream: string, changeId: string): BlueprintLock {
    let signAt = this.clock.monotonic();
    return {
      intend: async (entries) => {
        for (let from = 0; from < entries.length; from += entriesPerAppend) {
          const command = { changeId, entries: entries.slice(from, from + entriesPerAppend) };
          await this.decisions.decide(blueprintDecider.intendEntries, stream, actorOf(who), command);
        }
      },
      renew: async () => {
        if (this.clock.monotonic() - signAt < changeSignMs) return;
        const command = { changeId, until: this.until() };
        await this.decisions.decide(blueprintDecider.prolongChange, stream, actorOf(who), command);
        signAt = this.clock.monotonic();
      },
    };
  }

  /**
   * Ends the change. A failed write is only logged: the change counts as dead in time, and its result or error stands.
   */
  private async end(who: Identity, stream: string, changeId: string): Promise<void> {
    try {
      await this.decisions.decide(blueprintDecider.endChange, stream, actorOf(who), { changeId });
    } catch (error) {
      this.logger.warn(`the end of change ${changeId} was not written: ${messageOf(error)}`);
    }
  }

  private until(): string {
    return rfc3339(this.clock.now() + changeLivesMs);
  }
}

/** Wakes a waiting change: when the stream changes, or by time. */
class StreamWatch {
  private hasChanged = false;
  private wake: (() => void) | null = null;
  private readonly subscription;

  constructor(
    bus: LiveBus,
    private readonly clock: Clock,
    channel: string,
  ) {
    this.subscription = bus.subscribe(channel, () => {
      this.hasChanged = true;
      this.wake?.();
    });
  }

  reset(): void {
    this.hasChanged = false;
  }

  async changed(withinMs: number): Promise<void> {
    if (this.hasChanged) return;
    await new Promise<void>((resolve) => {
      const timer = this.clock.after(withinMs, resolve);
      this.wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.wake = null;
  }

  close(): void {
    this.subscription.close();
  }
}
