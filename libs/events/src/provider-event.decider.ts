import { decider } from '@aos/kernel';
import { providerEventKind, receiveProviderEvent } from './provider-event/provider-event.state.js';

/** All that can happen to an event of a provider. */
export const providerEventDecider = decider(providerEventKind, { receiveProviderEvent });
