// Prints the keys of a new fleet: lines for `kubectl create secret generic <name> --from-env-file`, and the public
// keys: node tools/run.mjs tools/fleet-keys.mjs
import { newKey, newSeed, publicKeyOf } from './fleet/keys.mjs';

const services = [
  'gateway',
  'access-service',
  'session-service',
  'blueprint-service',
  'interaction-service',
  'stream-service',
  'operator',
];
const seeds = services.map((service) => [service, newSeed()]);
for (const [service, seed] of seeds) console.log(`SVC_IDENTITY_SEED.${service}=${seed}`);
for (const name of ['SVC_SEAL_KEYS', 'SVC_CURSOR_KEYS']) console.log(`${name}=${newKey()}`);
console.error(
  `settings: { SVC_IDENTITY_KEYS: "${seeds.map(([service, seed]) => `${service}:${publicKeyOf(seed)}`).join(',')}" }`,
);
