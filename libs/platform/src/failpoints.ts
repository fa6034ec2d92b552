import { readFileSync } from 'node:fs';

/**
 * Named places where a test lets this process die. `SVC_FAILPOINT=<file>` says where the name stands: `<name>` or
 * `<name>:<n>` in that file kills the process with SIGKILL at the n-th time it gets there from then on (default the
 * first). Unset, as in every deployment, the places do nothing.
 */
const file = process.env.SVC_FAILPOINT;
const hits = { named: '', count: 0 };

/** Dies here if this is the named place and its time. */
export function failpoint(name: string): void {
  if (!file) return;
  const named = readFileSync(file, 'utf8').trim();
  if (hits.named !== named) Object.assign(hits, { named, count: 0 });
  const [wanted, hit = '1'] = named.split(':');
  if (wanted !== name) return;
  hits.count += 1;
  if (hits.count === Number(hit)) process.kill(process.pid, 'SIGKILL');
}

/** Before or after an append: one place for each type of event in it, such as `before-append TurnClaimed`. */
export function appendFailpoint(when: 'before' | 'after', events: readonly { type: string }[]): void {
  if (!file) return;
  for (const type of new Set(events.map((event) => event.type))) failpoint(`${when}-append ${type}`);
}
