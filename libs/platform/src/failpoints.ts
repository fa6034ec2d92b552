/**
 * Named places where a test lets this process die: `SVC_FAILPOINT=<name>` or `<name>:<n>` kills it with SIGKILL at the n-th time it gets there
 * (default the first). Unset, as in every deployment, they do nothing.
 */
const wanted = wantedFrom(process.env.SVC_FAILPOINT);
let hits = 0;

/** Whether any place is named: spares hot paths the making of names. */
export const failpointsAreOn = wanted !== null;

/** Dies here if this is the named place and its time. */
export function failpoint(name: string): void {
  if (wanted?.name !== name) return;
  hits += 1;
  if (hits === wanted.hit) process.kill(process.pid, 'SIGKILL');
}

/** Before or after an append: one place for each type of event in it, such as `before-append TurnClaimed`. */
export function appendFailpoint(when: 'before' | 'after', events: readonly { type: string }[]): void {
  if (!failpointsAreOn) return;
  for (const type of new Set(events.map((event) => event.type))) failpoint(`${when}-append ${type}`);
}

function wantedFrom(text: string | undefined): { name: string; hit: number } | null {
  if (!text) return null;
  const [name = '', hit = '1'] = text.split(':');
  if (!/^[1-9][0-9]*$/.test(hit)) throw new Error(`SVC_FAILPOINT: ${hit} is no count`);
  return { name, hit: Number(hit) };
}
