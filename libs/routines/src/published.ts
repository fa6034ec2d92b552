export { RoutineAdministrationModule } from './administration.module.js';
export { ProposeRoutine } from './proposals/proposals.commands.js';
