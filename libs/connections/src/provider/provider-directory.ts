import { Injectable } from '@nestjs/common';
import { Decisions } from '@aos/platform';
import type { ProviderRecord } from './provider.events.js';
import { providerId, providerKind } from './provider.state.js';

/** Providers, read fresh from their streams. */
@Injectable()
export class ProviderDirectory {
  constructor(private readonly decisions: Decisions) {}

  /** The live provider; null for a name that is unknown or deleted. */
  async find(orgId: string, name: string): Promise<ProviderRecord | null> {
    const id = providerId(orgId, name);
    const { state, revision } = await this.decisions.load(providerKind, id);
    if (revision < 0) this.decisions.forget(providerKind, id);
    return state.provider && state.provider.deleted_at === null ? state.provider : null;
  }
}
