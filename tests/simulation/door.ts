import { ownerPartition } from '@aos/kernel';
import { Owners } from '@aos/platform';
import { GatedMembers } from './gates.js';
import { Place, PlaceClock } from './scheduler.js';
import type { Shared } from './shared.js';

/** A gateway: what it knows of the owners, which may be late, and where it sends a session's request. */
export class Door {
  readonly place: Place;
  private readonly owners: Owners;

  constructor(name: string, shared: Shared) {
    this.place = new Place(name);
    const clock = new PlaceClock(shared.scheduler.clock, this.place);
    this.owners = new Owners(new GatedMembers(shared, this.place), clock, () => undefined);
    this.owners.start();
  }

  /** Names of the owner of a session and of those who come after it; empty while none is known. */
  order(sessionId: string): readonly string[] {
    return this.owners.map?.order(ownerPartition(`session-${sessionId}`)) ?? [];
  }
}
