import 'reflect-metadata';
import { serve, serviceModules, serviceOptions } from '@aos/composition/fleet-programs';

/** Organizations, principals, keys, roles and the audit view; makes the first organization. */
void serve('access-service', serviceModules('access-service'), serviceOptions('access-service'));
