import type { OnApplicationBootstrap } from '@nestjs/common';
import { ownedPartition } from '@aos/kernel';
import type { Membership } from './membership.js';
import type { Owners } from './owners.js';

/**
 * Which streams this process is the owner of. A process that shares with no one, or knows of no one, owns all.
 *
 * Does not promise: that no other process believes the same, or that the owner is alive. Nothing rests on it.
 */
export class Ownership implements OnApplicationBootstrap {
  /** Takes what this process says of itself and what it knows of all; null where it shares with no one. */
  constructor(private readonly shared: { membership: Membership; owners: Owners } | null = null) {}

  onApplicationBootstrap(): void {
    this.shared?.membership.start();
    this.shared?.owners.start();
  }

  /** True also for a stream that has no owner, and while no owner is known; never while the process goes down. */
  owns(stream: string): boolean {
    if (!this.shared) return true;
    const { membership, owners } = this.shared;
    const partition = ownedPartition(stream);
    const owner = partition === null ? null : (owners.map?.owner(partition) ?? null);
    return !this.isDraining && (owner === null || owner === membership.address);
  }

  /** Whether the process is going down: it begins nothing that another one can. */
  get isDraining(): boolean {
    return this.shared?.membership.isDraining ?? false;
  }

  /** Gives everything up; resolves when all others may know. The process serves on meanwhile. */
  async drain(): Promise<void> {
    if (!this.shared) return;
    const { membership, owners } = this.shared;
    await membership.drain(owners.hasOther(membership.address));
  }

  async close(): Promise<void> {
    await this.shared?.owners.close();
    await this.shared?.membership.close();
  }
}
