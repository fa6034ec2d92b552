import 'reflect-metadata';
import { serviceModules, serviceOptions } from '@aos/composition';
import { serve } from '@aos/platform';

/** Session streams and snapshots, the way out and the way in. */
void serve('stream-service', serviceModules('stream-service'), serviceOptions('stream-service'));
