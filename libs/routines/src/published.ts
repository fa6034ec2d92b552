export { RoutineAdministrationModule } from './administration.module.js';
export { ChangeRoutineCustody } from './custody/custody.commands.js';
