import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'ci-step-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs lines of a gate and its end. Gives what it printed and its exit code. */
function printed(...lines: string[]): { stdout: string; status: number | null } {
  const script = [
    'set -u -o pipefail',
    `logs='${folder}' passed=0 failed=0 not_run=''`,
    `. '${join(__dirname, '..', '.ci', 'step.sh')}'`,
    ...lines,
    'summary',
  ].join('\n');
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  if (stderr) throw new Error(stderr);
  return { stdout, status };
}

/** Takes steps as `name: shell text`. Gives the gate's last two lines after them, and its exit code. */
function gate(steps: Record<string, string>): { lines: string[]; status: number | null } {
  const { stdout, status } = printed(
    ...Object.entries(steps).map(([name, text]) => `step '${name}' bash -c '${text}'`),
  );
  return { lines: stdout.trim().split('\n').slice(-2), status };
}

describe('the gate counts what ran', () => {
  it('a step that could not run is named before the last line and counted nowhere', () => {
    const { lines, status } = gate({ test: 'echo Tests: 3 passed', docker: 'echo Tests: 9 passed; exit 75' });
    expect(lines).toEqual(['not run: docker', '3 passed, 0 failed']);
    expect(status).toBe(0);
  });

  it('tests of every step are added up; a step without tests is one', () => {
    const { lines, status } = gate({ test: 'echo Tests: 2 skipped, 3 passed; echo Tests: 4 passed', types: 'true' });
    expect(lines.at(-1)).toBe('8 passed, 0 failed');
    expect(lines.join('\n')).not.toContain('not run');
    expect(status).toBe(0);
  });

  it('what failed at first is no failure of a step that ended well', () => {
    const { lines, status } = gate({ test: 'echo Tests: 1 failed, 3 passed; echo Tests: 1 passed' });
    expect(lines.at(-1)).toBe('4 passed, 0 failed');
    expect(status).toBe(0);
  });

  it('a step that fails is a failure, with and without tests that say so', () => {
    const { lines, status } = gate({
      test: 'echo Tests: 2 failed, 3 passed; exit 1',
      types: 'exit 2',
      docker: 'exit 75',
    });
    expect(lines).toEqual(['not run: docker', '3 passed, 3 failed']);
    expect(status).toBe(1);
  });

  it('a command that was begun ahead counts as its own step, with what it printed and how it ended', () => {
    const { stdout, status } = printed(
      `ahead python bash -c 'echo Tests: 2 passed; read line || echo nothing to read'`,
      `ahead lint bash -c 'echo a fault; exit 3'`,
      `ahead docker bash -c 'exit 75'`,
      `step test bash -c 'echo Tests: 3 passed'`,
      ...['lint', 'python', 'docker'].map((name) => `step ${name} result ${name}`),
    );
    expect(stdout).toMatch(/== lint\na fault\nit took \d+s beside other steps\n== lint: FAILED in \d+s\n/);
    expect(stdout).toMatch(/== python\nTests: 2 passed\nnothing to read\nit took \d+s [^=]+\n== python: ok/);
    expect(stdout.trim().split('\n').slice(-2)).toEqual(['not run: docker', '5 passed, 1 failed']);
    expect(status).toBe(1);
  });

  it('every step that could not run is named', () => {
    expect(gate({ chart: 'exit 75', docker: 'exit 75' }).lines[0]).toBe('not run: chart, docker');
  });
});
