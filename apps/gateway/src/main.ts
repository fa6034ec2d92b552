import 'reflect-metadata';
import { SystemClock } from '@aos/adapters/system';
import { gatewayModules } from '@aos/composition';
import { serve } from '@aos/platform';

/** The public gateway of the fleet. */
void serve('gateway', gatewayModules, {
  clock: new SystemClock(),
  composition: 'fleet',
  identities: 'keys',
  checksBodies: false,
});
