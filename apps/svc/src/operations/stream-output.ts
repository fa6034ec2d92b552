import type { CommandContext } from '../context/command-context.js';
import { printFrames } from '../tails/frame-output.js';
import type { Call } from './call.js';

/** Follows any stream of the API over one connection, and prints the data of its frames. */
export function printStream(context: CommandContext, call: Call): Promise<void> {
  return printFrames(context, context.service().frames(call.path, call));
}
