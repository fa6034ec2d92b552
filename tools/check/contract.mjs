// The contract only grows: everything that an earlier one gave is there, unchanged but for descriptions. Without an
// earlier one nothing is compared.
import { parse } from 'yaml';
import { contractFaults } from './contract-growth.mjs';

const earlier = '../shared/spec/openapi.yaml';
const own = 'contract/openapi.yaml';

export const name = 'contract';

export function check({ has, read }) {
  if (!has(earlier) || !has(own)) return [];
  const [before, now] = [read(earlier), read(own)];
  if (before === now) return [];
  return contractFaults(parse(before), parse(now)).map((what) => ({ where: own, what }));
}
