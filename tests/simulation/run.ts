import { Logger, type LoggerService } from '@nestjs/common';
import type { Planted, Faults } from './shared.js';
import { Violation } from './session-audit.js';
import type { Step } from './schedule.js';
import { isQuiet, judge } from './verdict.js';
import { World } from './world.js';

const quietMsMax = 60_000;
const shrinkRunsMax = 150;

export interface Run {
  seed: number;
  steps: readonly Step[];
  replicas: number;
  planted?: Planted;
  faults?: Faults;
  twoBuilds?: boolean;
  routing?: 'owner' | 'any';
}

export interface Played {
  violation: Violation | null;
  world: World;
}

/** Plays one schedule to its quiet end and judges it. */
export async function play(run: Run): Promise<Played> {
  const world = new World({
    seed: run.seed,
    replicas: run.replicas,
    ...(run.planted ? { planted: run.planted } : {}),
    ...(run.faults ? { faults: run.faults } : {}),
    ...(run.twoBuilds ? { twoBuilds: true } : {}),
    ...(run.routing ? { routing: run.routing } : {}),
  });
  listenTo(world);
  try {
    await world.play(run.steps);
    const wasQuiet = await world.calmDown(() => isQuiet(world), quietMsMax);
    await judge(world, wasQuiet);
    return { violation: null, world };
  } catch (error) {
    if (error instanceof Violation) return { violation: error, world };
    return {
      violation: new Violation(0, error instanceof Error ? (error.stack ?? error.message) : String(error)),
      world,
    };
  } finally {
    for (const { place } of world.replicas) world.shared.kill(place);
  }
}

/** Takes steps away as long as the same rule is still broken; gives what is left. */
export async function shrink(run: Run, rule: number): Promise<Run> {
  let steps = [...run.steps];
  let runs = 0;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < steps.length && runs < shrinkRunsMax;) {
      const fewer = [...steps.slice(0, at), ...steps.slice(at + size)];
      runs += 1;
      const { violation } = await play({ ...run, steps: fewer });
      if (violation?.rule === rule) steps = fewer;
      else at += size;
    }
  }
  return { ...run, steps };
}

/** The seed, the fewest steps that still break the rule, and the session logs behind them. */
export async function report(run: Run, violation: Violation): Promise<string> {
  const small = await shrink(run, violation.rule);
  const { violation: last, world } = await play(small);
  const lines = [
    `SEED=${run.seed} ${violation.message}`,
    `${small.steps.length} of ${run.steps.length} steps break it (${last?.message ?? 'not again'}):`,
  ];
  for (const { waitMs, kind, a, b, c, d } of small.steps) lines.push(`  +${waitMs} ms ${kind} ${a} ${b} ${c} ${d}`);
  for (const command of world.commands)
    lines.push(
      `  ${command.sentAt} ${command.requestId} ${command.kind} ${command.text} at ${command.place}: ${command.outcome} ${command.code} ${command.answeredAt}`,
    );
  for (const [stream, written] of world.shared.written) {
    lines.push(`  ${stream}`);
    for (const event of await world.shared.log.read(stream, { from: 0, limit: 4096 })) {
      const by = written[event.revision];
      const about = JSON.stringify({ ...event.data, row: undefined, session: undefined, input: undefined }).slice(
        0,
        160,
      );
      lines.push(
        `    ${event.revision} ${by?.at ?? '?'} ${by?.place ?? '?'} ${event.meta.principal_kind}/${event.meta.request_id} ${event.type} ${about}`,
      );
    }
  }
  return lines.join('\n');
}

/** What the service logs as an error is a fault of the world it ran in. */
function listenTo(world: World): void {
  const quiet = () => undefined;
  const logger: LoggerService = {
    log: quiet,
    warn: quiet,
    debug: quiet,
    verbose: quiet,
    error: (message: unknown) => {
      world.shared.fault(message);
    },
  };
  Logger.overrideLogger(logger);
}
