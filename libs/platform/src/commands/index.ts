export { CommandHandlers, LocalCommandGateway } from './command-handlers.js';
export type { CommandHandler } from './command-handlers.js';
export { commandsPath, CommandsController } from './commands.controller.js';
export type { CommandBody } from './commands.controller.js';
