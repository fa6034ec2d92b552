import 'reflect-metadata';
import { serve, serviceModules, serviceOptions } from '@aos/composition/programs';

/** Sessions, turns and their inline streams; runs turns. */
void serve('session-service', serviceModules('session-service'), serviceOptions('session-service'));
