import 'reflect-metadata';
import { serviceModules, serviceOptions } from '@aos/composition';
import { serve } from '@aos/platform';

/** Sessions, turns and their inline streams; runs turns. */
void serve('session-service', serviceModules('session-service'), serviceOptions('session-service'));
