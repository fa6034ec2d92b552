export { RoutineAdministrationModule } from './administration.module.js';
export { ActAsConsents } from './routine/act-as-consents.js';
