import { decider } from '@aos/kernel';
import { providerKind } from './provider/provider.state.js';
import { deleteProvider, saveProvider } from './providers/providers.decide.js';

/** All that can happen to a provider. */
export const providerDecider = decider(providerKind, { saveProvider, deleteProvider });
