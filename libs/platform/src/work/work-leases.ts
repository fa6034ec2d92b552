import { Inject, Injectable } from '@nestjs/common';
import { Clock, Ids, Leases } from '@aos/kernel';
import { Settings } from '../settings/index.js';
import { OwnedLeases } from './owned-leases.js';

/** Gives each executor of this process the leases of what it runs, under an owner's name of its own. */
@Injectable()
export class WorkLeases {
  constructor(
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly ids: Ids,
    @Inject(Settings) private readonly settings: Pick<Settings, 'leaseSeconds'>,
  ) {}

  /** Takes the owner's name, made of an id, and the leases that are to be renewed at the time of each renewal. */
  owned(owner: (id: string) => string, names: () => Iterable<string>): OwnedLeases {
    const leaseMs = this.settings.leaseSeconds * 1000;
    return new OwnedLeases(this.leases, this.clock, { owner: owner(this.ids.ulid()), leaseMs, names });
  }
}
