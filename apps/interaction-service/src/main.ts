import 'reflect-metadata';
import { serviceModules, serviceOptions } from '@aos/composition';
import { serve } from '@aos/platform';

/** Interactions, their expiry and callbacks. */
void serve('interaction-service', serviceModules('interaction-service'), serviceOptions('interaction-service'));
