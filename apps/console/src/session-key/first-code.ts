const fragment = /^#code=/;
const whole = /^#code=([A-Za-z0-9_-]{22})$/;

/**
 * Takes the one-time code of the first start out of address and history. Gives null without one, and the empty text for
 * one that is no code.
 */
export function takeFirstCode(location: Location, history: History): string | null {
  if (!fragment.test(location.hash)) return null;
  const [, code = ''] = whole.exec(location.hash) ?? [];
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
