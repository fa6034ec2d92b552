import 'reflect-metadata';
import { SystemClock } from '@aos/adapters/system';
import { serviceModules } from '@aos/composition';
import { COMMANDS_PATH, serve } from '@aos/platform';

/** Organizations, principals, keys, roles and the audit view; makes the first organization. */
void serve('access-service', serviceModules('access-service'), { clock: new SystemClock(), composition: 'fleet', identities: 'signed', internalPaths: [COMMANDS_PATH] });
