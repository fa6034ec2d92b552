import 'reflect-metadata';
import { gatewayModules, serve, SystemClock } from '@aos/composition/fleet-programs';

/** The public gateway of the fleet. */
void serve('gateway', gatewayModules, {
  clock: new SystemClock(),
  composition: 'fleet',
  identities: 'keys',
  checksBodies: false,
});
