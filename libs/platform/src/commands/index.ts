export { CallerCommand } from './caller-command.js';
export { LocalCommandGateway } from './local-command-gateway.js';
export { commandHandlersIn, commandOf } from './command-handlers-in.js';
export { CommandSender } from './command-sender.js';
export { commandsPath, CommandsController } from './commands.controller.js';
export type { CommandBody } from './commands.controller.js';
export { Routed, routedCommands, routedNamed, routedOf, type CommandOwner, type RoutedClass } from './routed.js';
export { RoutedCommands, RoutedCommandsExplorer } from './routed-commands.js';
