import { eventually } from '@aos/kernel/testing';
import type { Relay } from '../relay/relay.js';
import { orgA, orgB, type EventsWorld } from './events.fixture.js';

export const ses = (n: number) => `ses_${String(n).padStart(26, '0')}`;

/** Time passes until it holds: leases run out, retries come due. */
export async function inTime(world: EventsWorld, what: string, holds: () => boolean): Promise<void> {
  await eventually(what, () => {
    world.clock.advance(500);
    return holds();
  });
}

/** Opens sessions and lets each of them say something some times; gives how many source events that makes. */
export async function sessionsWith(world: EventsWorld, sessions: number, messages: number): Promise<number> {
  for (let n = 0; n < sessions; n += 1) await world.sessions.open(ses(n), n % 2 === 0 ? orgA : orgB);
  for (let m = 0; m < messages; m += 1)
    for (let n = 0; n < sessions; n += 1) await world.sessions.say(ses(n), n % 2 === 0 ? orgA : orgB);
  return sessions * messages;
}

/** The failure names the `count`-th event of the log, and readiness says where the relay stopped. */
export async function expectStoppedAt(
  world: EventsWorld,
  relay: Relay,
  name: string,
  { count, at, type }: { count: number; at: string; type: string },
): Promise<void> {
  const position = String(count).padStart(20, '0');
  const id = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  const failure = String(relay.failure);
  expect(failure).toContain(`${type} ${id} at session-${at}, position ${position}: `);
  expect(failure).not.toContain('secret');
  expect(await world.readiness.faults()).toEqual({ [`relay ${name}`]: `stopped at position ${position}` });
}
