import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogHistory, histories } from './testing/log-history.js';

const runs = Number(process.env['HISTORIES'] ?? 4);
const folder = mkdtempSync(join(tmpdir(), 'aos-history-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

// TP6, and with it TP5 (a kill leaves what is not indexed) and TP7 (`none` succeeds once, whatever comes between)
test.each([1, 2, 'changed'] as const)(
  'a log of format %s answers a random history as the rules say',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(histories(kind), (history) => LogHistory.run(folder, kind === 2 ? 2 : 1, history)),
      { numRuns: runs },
    );
  },
  120_000 + runs * 2000,
);
