import 'reflect-metadata';
import { serve, serviceModules, serviceOptions } from '@aos/composition/fleet-programs';

/** Agents, skills, actions, tables, memory, blueprints and routines. */
void serve('blueprint-service', serviceModules('blueprint-service'), serviceOptions('blueprint-service'));
