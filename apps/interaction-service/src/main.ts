import 'reflect-metadata';
import { serve, serviceModules, serviceOptions } from '@aos/composition/programs';

/** Interactions, their expiry and callbacks. */
void serve('interaction-service', serviceModules('interaction-service'), serviceOptions('interaction-service'));
