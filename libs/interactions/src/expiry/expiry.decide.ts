import type { InteractionEvent } from '../interaction/interaction.events.js';
import { isOpen, type InteractionState } from '../interaction/interaction.state.js';
import { type Closing, callbackOwed } from '../callbacks/callbacks.decide.js';

/**
 * Expires what is due; under review too.
 *
 * Gives    nothing before its time, for one that ended, or one without an expiry.
 * Source   rules IT3, I26, I38.
 */
export function expire(command: Closing & { nowMs: number }, state: InteractionState): InteractionEvent[] {
  const { opening, status } = state;
  if (!opening?.expires_at || !isOpen(status) || Date.parse(opening.expires_at) > command.nowMs) return [];
  return [{ type: 'InteractionExpired', data: { at: command.now } }, ...callbackOwed(opening, command)];
}
