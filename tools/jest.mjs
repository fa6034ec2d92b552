// Runs jest for every tool that does. With SVC_TEST_ATTEMPTS=2 suites whose preparation failed are run once more, each
// whole: jest repeats tests (tools/jest-attempts.cjs), and none of theirs had begun.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const flags = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=TimeoutNegativeWarning',
];
/** More than these do not fail by a moment in which the machine was slow. */
const mostAgain = 3;

/** Takes arguments of jest, its environment, and where it prints. Gives 0 when every suite went well. */
export async function runJest(args, env, stdio = 'inherit') {
  const attempts = Number(process.env.SVC_TEST_ATTEMPTS ?? '1');
  const folder = mkdtempSync(join(tmpdir(), 'jest-suites-'));
  const failed = join(folder, 'failed.json');
  try {
    const code = await run([...args, ...withReporter(args)], { ...env, JEST_FAILED: failed }, stdio);
    const unprepared = code === 0 || attempts < 2 ? [] : onlyUnprepared(failed);
    if (unprepared.length === 0) return code;
    for (const path of unprepared)
      console.error(`RETRY 1 ${relative(root, path)}: its preparation or its end failed; it is run again whole`);
    const filter = ['--filter', join(root, 'tools', 'jest-chosen.cjs')];
    return await run([...args, ...filter], { ...env, JEST_CHOSEN: JSON.stringify(unprepared) }, stdio);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The reporters that were asked for, or jest's own, and the one that writes which suites failed. */
function withReporter(args) {
  const own = ['--reporters', join(root, 'tools', 'jest-failed.cjs')];
  return args.includes('--reporters') ? own : ['--reporters', 'default', ...own];
}

/** Suites to run again: none when another suite failed too, since the whole has failed then, or when they are many. */
function onlyUnprepared(file) {
  const failed = JSON.parse(readFileSync(file, 'utf8'));
  return failed.length <= mostAgain && failed.every(({ unprepared }) => unprepared)
    ? failed.map(({ path }) => path)
    : [];
}

function run(args, env, stdio) {
  const child = spawn(process.execPath, [...flags, join(root, 'node_modules', 'jest', 'bin', 'jest.js'), ...args], {
    cwd: root,
    stdio,
    env,
  });
  const pass = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, pass);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, pass);
      resolve(code ?? 1);
    });
  });
}
