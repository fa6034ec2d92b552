/** The parts of interactions that other contexts may use. */
export { InteractionDirectory, type WholeInteraction } from './reading/interaction-directory.js';
export type { InteractionFilter } from './reading/interactions.queries.js';
export { interactionPublisher } from './interaction/interaction.publisher.js';
export {
  interactionKind,
  isOpen as isOpenInteraction,
  type InteractionState,
} from './interaction/interaction.state.js';
export type { AnswerSet } from './forms/answers.decide.js';
export type { AskedInteraction } from './opening/opening.decide.js';
export { interactionCommandNames } from './interaction/command-names.js';
export { InteractionsReadingModule } from './interactions.module.js';
export { ListInteractions } from './reading/interactions.queries.js';
export { interactionWire } from './interaction/interaction.wire.js';
