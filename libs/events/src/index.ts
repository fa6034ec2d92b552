export { EventsModule } from './events.module.js';
export { FleetBellsModule } from './fleet-bells.module.js';
export { RelaysModule } from './relays.module.js';
export * from './published.js';
