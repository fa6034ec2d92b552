import { dueRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { InteractionEvent } from './interaction.events.js';
import { interactionKind, isOpen, type InteractionState } from './interaction.state.js';

export const expiryHandler = 'interaction_expiry';
export const callbackHandler = 'interaction_callback';

/**
 * Timers of interactions: when it expires, and when its callback is next tried. Two names, so that neither hides the
 * other.
 */
export const interactionTimersProjection: StreamProjection<InteractionState, InteractionEvent> = {
  name: 'interaction_timers',
  version: 1,
  kind: interactionKind,
  on: new Set([
    'InteractionOpened',
    'InteractionCompleted',
    'InteractionCancelled',
    'InteractionExpired',
    'CallbackQueued',
    'CallbackAttemptStarted',
    'CallbackDelivered',
    'CallbackFailed',
    'CallbackAbandoned',
    'CallbackRedriven',
  ]),
  rows({ state, id, revision }) {
    const { opening, status, callback } = state;
    if (!opening) return [];
    const details = { org_id: opening.org_id, interaction_id: opening.id };
    const timer = { stream: `interaction-${id}`, revision, details };
    const expiresAt = opening.expires_at !== null && isOpen(status) ? Date.parse(opening.expires_at) : null;
    const tryAt =
      callback?.status === 'pending' && callback.next_attempt_at !== null ? Date.parse(callback.next_attempt_at) : null;
    return [
      dueRow({ ...timer, name: 'expiry', at: expiresAt, handler: expiryHandler }),
      dueRow({ ...timer, name: 'callback', at: tryAt, handler: callbackHandler }),
    ];
  },
};
