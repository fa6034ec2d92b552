export { RoutineAdministrationModule } from './administration.module.js';
