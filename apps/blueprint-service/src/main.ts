import 'reflect-metadata';
import { SystemClock } from '@aos/adapters/system';
import { serviceModules } from '@aos/composition';
import { COMMANDS_PATH, serve } from '@aos/platform';

/** Agents, skills, actions, tables, memory, blueprints and routines. */
void serve('blueprint-service', serviceModules('blueprint-service'), { clock: new SystemClock(), composition: 'fleet', identities: 'signed', internalPaths: [COMMANDS_PATH] });
