/** The parts of interactions that other contexts may use. */
export { InteractionDirectory, type WholeInteraction } from './reading/interaction-directory.js';
export { interactionPublisher } from './interaction/interaction.publisher.js';
export {
  interactionKind,
  isOpen as isOpenInteraction,
  type InteractionState,
} from './interaction/interaction.state.js';
export { AskingSessions } from './asking/asking-sessions.js';
export { AskingSessionsModule } from './asking/asking-sessions.module.js';
export { AskInTurn } from './opening/opening.commands.js';
export { CancelOwnInteraction, RespondToInteraction } from './answering/answering.commands.js';
export { InteractionsReadingModule } from './interactions.module.js';
export { InteractionQueries, type InteractionFilter } from './reading/interactions.queries.js';
export { interactionWire } from './interaction/interaction.wire.js';
