import 'reflect-metadata';
import { SystemClock } from '@aos/adapters/system';
import { serviceModules } from '@aos/composition';
import { COMMANDS_PATH, serve } from '@aos/platform';

/** Session streams and snapshots, the way out and the way in. */
void serve('stream-service', serviceModules('stream-service'), { clock: new SystemClock(), composition: 'fleet', identities: 'signed', internalPaths: [COMMANDS_PATH] });
