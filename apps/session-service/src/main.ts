import 'reflect-metadata';
import { serve, serviceModules, serviceOptions } from '@aos/composition/fleet-programs';

/** Sessions, turns and their inline streams; runs turns. */
void serve('session-service', serviceModules('session-service'), serviceOptions('session-service'));
