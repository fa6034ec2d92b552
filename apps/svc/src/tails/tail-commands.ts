import { Command, Option } from 'commander';
import type { MakeContext } from '../context/command-context.js';
import { eventLine, printFrames, sessionLine } from './frame-output.js';
import { forwardEvents } from './forward-events.js';
import { sessionFrames } from './session-frames.js';

type SessionOptions = { cursor?: string; wait?: boolean };
type EventOptions = {
  eventType?: string[];
  sourceKind?: string;
  sourceId?: string;
  from?: string;
  cursor?: string;
  forwardTo?: string;
};

/** `svc sessions tail` and `svc events tail`, beside the operations of their groups. */
export function addTailCommands(program: Command, makeContext: MakeContext): void {
  groupOf(program, 'sessions')
    .command('tail <session_id>')
    .summary('follow a session from its beginning')
    .description(
      'Prints the frames of a session as they come, from the beginning or from a cursor; it survives cuts and restarts.',
    )
    .addOption(new Option('--cursor <cursor>', 'position to begin after'))
    .addOption(new Option('--wait', 'stay when all turns have ended, and show the next ones'))
    .addHelpText('after', '\nExample:\n  svc sessions tail ses_…\n  svc sessions tail ses_… --output ndjson\n')
    .action(async (sessionId: string, { cursor, wait }: SessionOptions, command: Command) => {
      const context = makeContext(command);
      const service = context.service();
      const idle = wait === true ? 'wait' : 'end';
      const frames =
        cursor === undefined
          ? sessionFrames(service, sessionId, idle)
          : service.followSession(sessionId, { after: cursor, idle });
      await printFrames(context, frames, sessionLine);
    });
  groupOf(program, 'events')
    .command('tail')
    .summary('follow source events, and hand them to a receiver of yours')
    .description(
      'Prints source events as they come. With --forward-to each is also sent to an address of yours, signed as a web hook is.',
    )
    .addOption(new Option('--event-type <type...>', 'only these; a trailing .* matches a prefix'))
    .addOption(new Option('--source-kind <kind>', 'only this kind of source'))
    .addOption(new Option('--source-id <id>', 'only this source'))
    .addOption(new Option('--from <place>', 'where to begin').choices(['latest', 'earliest']))
    .addOption(new Option('--cursor <cursor>', 'position to begin after'))
    .addOption(new Option('--forward-to <url>', 'send each event there by POST'))
    .addHelpText(
      'after',
      '\nExample:\n  svc events tail --event-type session.*\n  svc events tail --forward-to http://127.0.0.1:3000/hooks\n',
    )
    .action(async ({ forwardTo, cursor, ...filters }: EventOptions, command: Command) => {
      const context = makeContext(command);
      const { eventType, sourceKind, sourceId, from } = filters;
      const query = {
        ...(eventType === undefined ? {} : { event_type: eventType }),
        ...(sourceKind === undefined ? {} : { source_kind: sourceKind }),
        ...(sourceId === undefined ? {} : { source_id: sourceId }),
        ...(from === undefined ? {} : { from }),
      };
      const events = context.service().followEvents(query, cursor);
      await printFrames(
        context,
        forwardTo === undefined ? events : forwardEvents(context, events, forwardTo),
        eventLine,
      );
    });
}

function groupOf(program: Command, name: string): Command {
  const found = program.commands.find((command) => command.name() === name);
  if (!found) throw new Error(`the contract has no group ${name}`);
  return found;
}
