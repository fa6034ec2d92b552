// The contract only grows: everything that an earlier one gave is there, unchanged but for descriptions. Without an earlier one nothing is compared.
import { parse } from 'yaml';
import { contractFaults } from './contract-growth.mjs';

const EARLIER = '../shared/spec/openapi.yaml';
const OWN = 'contract/openapi.yaml';

export const name = 'contract';

export function check({ has, read }) {
  if (!has(EARLIER) || !has(OWN)) return [];
  const [before, now] = [read(EARLIER), read(OWN)];
  if (before === now) return [];
  return contractFaults(parse(before), parse(now)).map((what) => ({ where: OWN, what }));
}
