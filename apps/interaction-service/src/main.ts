import 'reflect-metadata';
import { SystemClock } from '@aos/adapters/system';
import { serviceModules } from '@aos/composition';
import { COMMANDS_PATH, serve } from '@aos/platform';

/** Interactions, their expiry and callbacks. */
void serve('interaction-service', serviceModules('interaction-service'), { clock: new SystemClock(), composition: 'fleet', identities: 'signed', internalPaths: [COMMANDS_PATH] });
