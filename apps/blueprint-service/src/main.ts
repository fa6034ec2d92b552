import 'reflect-metadata';
import { serviceModules, serviceOptions } from '@aos/composition';
import { serve } from '@aos/platform';

/** Agents, skills, actions, tables, memory, blueprints and routines. */
void serve('blueprint-service', serviceModules('blueprint-service'), serviceOptions('blueprint-service'));
