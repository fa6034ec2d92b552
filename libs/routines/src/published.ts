export { RoutineAdministrationModule } from './administration.module.js';
export { ProposeRoutine } from './proposals/proposals.commands.js';
export { ActAsConsents } from './routine/act-as-consents.js';
