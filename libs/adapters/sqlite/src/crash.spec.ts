import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type StormFormat, compileStorm, expectWhole } from './testing/storm.js';

/** Kills of each log; the long run has more of them (`npm run soak -- log`). */
const rounds = Number(process.env['LOG_KILLS'] ?? 3);
const acksBeforeKill = 400;
const acksSpread = 337;

/** Runs the storm and kills it in the middle. Gives what it acknowledged. */
async function stormAndKill(program: string, directory: string, format: StormFormat, round: number): Promise<string[]> {
  const child: ChildProcess = spawn(process.execPath, [program, directory, format, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const acks: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    if (acks.push(line) === acksBeforeKill + ((round * 37) % acksSpread)) child.kill('SIGKILL');
  }
  const [, signal] = (await exited) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  return acks;
}

// TP1
test.each<StormFormat>(['1', '2', 'both'])(
  'a log of format %s killed in a storm of appends holds every acknowledged one, and none in part',
  async (format) => {
    const folder = mkdtempSync(join(tmpdir(), 'aos-crash-program-'));
    const directory = mkdtempSync(join(tmpdir(), 'aos-crash-'));
    const program = compileStorm(folder);
    const acks: string[] = [];
    if (format === 'both')
      for (let round = 0; round < rounds; round += 1)
        acks.push(...(await stormAndKill(program, directory, '1', round)));
    for (let round = 0; round < rounds; round += 1)
      acks.push(...(await stormAndKill(program, directory, format, round)));
    expect(acks.length).toBeGreaterThanOrEqual(rounds * acksBeforeKill);

    await expectWhole(directory, rounds, acks);
    const kills = format === 'both' ? 2 * rounds : rounds;
    process.stdout.write(`said: format ${format}: ${kills} kills, ${acks.length} acknowledged appends, none lost\n`);
    for (const each of [folder, directory]) rmSync(each, { recursive: true });
  },
  60_000 + rounds * 10_000,
);
