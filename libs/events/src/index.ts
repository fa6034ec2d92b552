export { EventsModule } from './events.module.js';
export { FleetNotifiersModule } from './fleet-notifiers.module.js';
export { RelaysModule } from './relays.module.js';
export { WebhooksModule } from './webhooks.module.js';
export * from './published.js';
