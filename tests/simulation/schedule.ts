import { Random } from './random.js';

const kinds = {
  invoke: 26,
  race: 5,
  nudge: 14,
  cancelTurn: 7,
  cancelNudge: 4,
  cancelSession: 3,
  remove: 2,
  archive: 1,
  compact: 4,
  kill: 6,
  stop: 2,
  pause: 7,
  resume: 2,
  slow: 2,
  jump: 2,
  loseRows: 1,
  loseLeases: 1,
  loseMembers: 1,
  flap: 2,
  oldMap: 2,
  cutBus: 2,
  answer: 6,
  nudgeStorm: 1,
  wait: 6,
};
export type StepKind = keyof typeof kinds;

/** One thing that is done to the world; what the numbers mean depends on the kind and on what is there then. */
export interface Step {
  waitMs: number;
  kind: StepKind;
  /** Whole numbers below a million. */
  a: number;
  b: number;
  c: number;
  d: number;
}

const range = 1_000_000;

/** Gives a list of random steps. */
export function randomSteps(random: Random, count: number): Step[] {
  return Array.from({ length: count }, () => {
    const kind = random.weighted(kinds);
    const waitMs =
      kind === 'wait' ? random.pick([1000, 4000, 15_000]) : random.chance(0.5) ? random.below(30) : random.below(1500);
    return {
      waitMs,
      kind,
      a: random.below(range),
      b: random.below(range),
      c: random.below(range),
      d: random.below(range),
    };
  });
}

/** The schedule of a seed: two replicas, in every fourth three. */
export function scheduleOf(seed: number): { seed: number; steps: Step[]; replicas: number } {
  const random = new Random(seed * 7919);
  return { seed, steps: randomSteps(random, 12 + random.below(24)), replicas: seed % 4 === 0 ? 3 : 2 };
}

/** Replicas are killed, or go down in good order, in turn while work comes in: nothing else goes wrong. */
export function deathsInTurn(random: Random, kind: 'kill' | 'stop', deaths: number, replicas: number): Step[] {
  const steps: Step[] = [];
  for (let death = 0; death < deaths; death += 1) {
    for (const step of randomSteps(random, 6))
      steps.push({
        ...step,
        kind: random.pick(['invoke', 'invoke', 'nudge', 'race', 'answer'] as const),
        waitMs: random.below(400),
      });
    steps.push({ waitMs: random.below(200), kind, a: death % replicas, b: 0, c: 0, d: 0 });
    if (kind === 'stop')
      for (const step of randomSteps(random, 4)) steps.push({ ...step, kind: 'race', waitMs: random.below(3) });
    for (const step of randomSteps(random, 4))
      steps.push({ ...step, kind: random.pick(['invoke', 'nudge'] as const), waitMs: random.below(400) });
    for (const step of randomSteps(random, 6))
      steps.push({ ...step, kind: random.pick(['nudge', 'nudge', 'wait'] as const), waitMs: 500 + random.below(4000) });
  }
  return steps;
}

/** Commands of clients alone, after the members have their whole weight: nothing goes wrong. */
export function commandsAlone(random: Random, count: number): Step[] {
  const kinds = ['invoke', 'invoke', 'nudge', 'nudge', 'cancelTurn', 'archive', 'compact', 'answer'] as const;
  const steps = randomSteps(random, count).map((step) => ({
    ...step,
    kind: random.pick(kinds),
    waitMs: random.below(250),
  }));
  return [{ waitMs: 20_000, kind: 'wait', a: 0, b: 0, c: 0, d: 0 }, ...steps];
}

/**
 * Turns with tools that are cancelled through any replica, over a bus that is cut for a moment or for long and between
 * processes that are slow for a while: nothing else goes wrong.
 */
export function cancelsOverCuts(random: Random, count: number): Step[] {
  const kinds = { invoke: 30, cancelTurn: 30, cutBus: 12, slow: 12, cancelSession: 4, wait: 4 };
  return randomSteps(random, count).map((step) => {
    const kind = random.weighted(kinds);
    const waitMs = kind === 'wait' ? 5000 : random.below(kind === 'cancelTurn' ? 300 : 60);
    return { ...step, kind, waitMs, b: kind === 'cutBus' && random.chance(0.7) ? random.below(500) : step.b };
  });
}
