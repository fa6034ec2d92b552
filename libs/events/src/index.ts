export { EventsModule } from './events.module.js';
export { FleetNotifiersModule } from './fleet-notifiers.module.js';
export { RelaysModule } from './relays.module.js';
export * from './published.js';
