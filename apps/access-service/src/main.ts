import 'reflect-metadata';
import { serviceModules, serviceOptions } from '@aos/composition';
import { serve } from '@aos/platform';

/** Organizations, principals, keys, roles and the audit view; makes the first organization. */
void serve('access-service', serviceModules('access-service'), serviceOptions('access-service'));
