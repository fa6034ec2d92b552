import { withoutNulls } from './without-nulls.js';

it('leaves out nulls only, and keeps the order', () => {
  const given: Record<string, string | number | boolean | null> = { b: 'x', none: null, a: 0, no: false, empty: '' };
  expect(JSON.stringify(withoutNulls(given))).toBe('{"b":"x","a":0,"no":false,"empty":""}');
});
