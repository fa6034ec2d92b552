import 'reflect-metadata';
import { serve, serviceModules, serviceOptions } from '@aos/composition/fleet-programs';

/** Session streams and snapshots, the way out and the way in. */
void serve('stream-service', serviceModules('stream-service'), serviceOptions('stream-service'));
