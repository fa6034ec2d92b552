import 'reflect-metadata';
import { SystemClock } from '@aos/adapters/system';
import { serviceModules } from '@aos/composition';
import { COMMANDS_PATH, serve } from '@aos/platform';

/** Sessions, turns and their inline streams; runs turns. */
void serve('session-service', serviceModules('session-service'), { clock: new SystemClock(), composition: 'fleet', identities: 'signed', internalPaths: [COMMANDS_PATH] });
