import 'reflect-metadata';
import { serve, serviceModules, serviceOptions } from '@aos/composition/fleet-programs';

/** Interactions, their expiry and callbacks. */
void serve('interaction-service', serviceModules('interaction-service'), serviceOptions('interaction-service'));
