import { Inject, Injectable } from '@nestjs/common';
import { upgradePending, type Writes } from '@aos/kernel';
import { Settings } from '../settings/load-settings.js';
import { Decisions } from './decisions.js';

/** Keeps the write path of this process to what the setting `SVC_WRITES` allows (rule VER7). */
@Injectable()
export class ReleaseWrites {
  readonly allowed: Writes;

  constructor(decisions: Decisions, @Inject(Settings) { writes }: Pick<Settings, 'writes'>) {
    this.allowed = writes;
    decisions.writeAs(writes);
  }

  /**
   * For an operation that writes what the release before does not read, or that makes no sense beside it: asked after
   * access and the body's shape, before the state of the resource.
   *
   * Refuses  `upgrade_pending` with the feature under `previous`.
   */
  requireFeature(feature: string): void {
    if (this.allowed === 'previous') throw upgradePending(feature);
  }
}
