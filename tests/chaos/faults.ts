import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { engine, fleet } from '../fleet/fleet.js';

/** Something done to one part, and what undoes it. */
interface Fault {
  what: string;
  begin: () => Promise<void> | void;
  end: () => Promise<void> | void;
}

const cutMs = 4_000;
/** Longer than a lease: the work of what is paused is taken over. */
const pauseMs = 7_000;
const slowMs = 6_000;
const restMs = 1_500;
const defaultDelayMs = 150;

/** A linear congruence: the same seed makes the same storm, as far as what happens allows. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function work(wire: string, mode: string, delayMs = 0): Promise<void> {
  const { wires } = fleet();
  if (!wires) throw new Error('the fleet has no wires: run these suites with `npm run test:fleet -- chaos`');
  const answer = await fetch(`${wires}/${wire}?mode=${mode}&ms=${delayMs}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`no wire ${wire}`);
}

const wired = (wire: string, mode: string, delayMs?: number): Fault => ({
  what: `${mode} ${wire}`,
  begin: () => work(wire, mode, delayMs),
  end: () => work(wire, 'open'),
});

/** Signals a process; one that is gone is gone already. */
function signal(pid: number | null, name: NodeJS.Signals): void {
  if (pid === null) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const killed = (name: string, pid: number | null): Fault => ({
  what: `kill ${name}`,
  begin: () => {
    signal(pid, 'SIGKILL');
  },
  end: () => undefined,
});
const paused = (name: string, pid: number | null): Fault => ({
  what: `pause ${name}`,
  begin: () => {
    signal(pid, 'SIGSTOP');
  },
  end: () => {
    signal(pid, 'SIGCONT');
  },
});

const flushed = (): Fault => ({
  what: 'empty redis',
  begin: async () => {
    const redis = new Redis(engine('redis').url, { lazyConnect: true, retryStrategy: null });
    redis.on('error', () => undefined); // it may be the next to die: then there is nothing left to empty
    try {
      await redis.connect();
      await redis.flushall();
    } finally {
      redis.disconnect();
    }
  },
  end: () => undefined,
});

function oneOf<Item>(random: () => number, items: readonly Item[]): Item {
  const found = items[Math.floor(random() * items.length)];
  if (found === undefined) throw new Error('nothing to choose from');
  return found;
}

function draw(random: () => number): { fault: Fault; forMs: number } {
  const { services, engines } = fleet();
  const processes = [...services.map(({ name, replica, pid }) => ({ name: `${name}-${replica}`, pid })), ...engines];
  const wires = [
    ...services.filter(({ name }) => name !== 'gateway').map(({ name, replica }) => `${name}-${replica}`),
    ...engines.map(({ name }) => name),
    'door',
  ];
  const victim = oneOf(random, processes);
  const wire = oneOf(random, wires);
  const kind = random();
  if (kind < 0.4) return { fault: killed(victim.name, victim.pid), forMs: 0 };
  if (kind < 0.6) return { fault: paused(victim.name, victim.pid), forMs: pauseMs * random() };
  if (kind < 0.75) return { fault: wired(wire, 'cut'), forMs: cutMs * random() };
  if (kind < 0.85) return { fault: wired(wire, 'hold'), forMs: cutMs * random() };
  if (kind < 0.95) return { fault: wired(wire, 'slow', defaultDelayMs * random()), forMs: slowMs * random() };
  return { fault: flushed(), forMs: 0 };
}

/** One fault after the other until the time is over; gives what was done. Everything is undone at the end. */
export async function storm(seed: number, forMs: number): Promise<string[]> {
  const random = chance(seed);
  const done: string[] = [];
  for (const until = performance.now() + forMs; performance.now() < until;) {
    const { fault, forMs: lasts } = draw(random);
    done.push(lasts > 0 ? `${fault.what} for ${Math.round(lasts)} ms` : fault.what);
    try {
      await fault.begin();
      await pause(lasts);
    } catch (error) {
      done.push(`  not done: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await fault.end();
    }
    await pause(restMs * random());
  }
  return done;
}
