export { InteractionsModule } from './interactions.module.js';
export { InteractionOutcomesModule } from './outcomes.module.js';
export { InteractionAdministrationModule } from './administration.module.js';
export { callbackUsages } from './callbacks/callback-operator-commands.js';
export * from './published.js';
