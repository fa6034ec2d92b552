import { collectionOf } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { ProviderEvent } from './provider.events.js';
import { providerKind, type ProviderState } from './provider.state.js';

/** Live providers for lists, by name. The record itself is read fresh. */
export const providersProjection: StreamProjection<ProviderState, ProviderEvent> = {
  name: 'providers',
  version: 1,
  kind: providerKind,
  rows({ state: { provider }, id, revision }) {
    if (!provider) return [];
    const row = { collection: collectionOf(providersProjection), scope: [provider.org_id], key: id, revision };
    if (provider.deleted_at !== null) return [{ ...row, doc: null, index: {} }];
    return [{ ...row, doc: { provider: provider.provider }, index: { name: provider.provider } }];
  },
};
