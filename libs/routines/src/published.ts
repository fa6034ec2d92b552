export { RoutineAdministrationModule } from './administration.module.js';
export { ChangeRoutineCustody } from './custody/custody.commands.js';
export { ProposeRoutine } from './proposals/proposals.commands.js';
export { ActAsConsents } from './routine/act-as-consents.js';
