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

// TP6, and TP5 and TP7 with it: a kill leaves a part that is not indexed, large events fill the tail.
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
