/**
 * The places of a long list at which the gate kills; the whole list with FAILPOINTS=all (`npm run soak -- failpoints`).
 * Refuses a place that is not in the list.
 */
export function gateShare<Place extends string>(all: readonly Place[], inGate: readonly Place[]): readonly Place[] {
  const unknown = inGate.filter((place) => !all.includes(place));
  if (unknown.length > 0) throw new Error(`not in the list: ${unknown.join(', ')}`);
  return process.env['FAILPOINTS'] === 'all' ? all : inGate;
}
