export { RoutineOccurrencesModule, RoutinesModule } from './routines.module.js';
export * from './published.js';
