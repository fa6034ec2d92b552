import { Command, Option } from 'commander';
import type { MakeContext } from '../context/command-context.js';
import type { Me } from '../commands/status.js';
import { isInteractive } from '../console/io.js';
import { Conversation } from './conversation.js';
import { chatOverPipe } from './pipe-chat.js';
import { TerminalChat } from './terminal-chat.js';

/** `svc chat <agent>`: a conversation in the terminal, or a line of input for each message. */
export function addChatCommand(program: Command, makeContext: MakeContext): void {
  program
    .command('chat <agent>')
    .summary('talk to an agent')
    .description(
      'Talks to an agent, by name or id: its text comes as it is written, its questions are asked here, and ctrl-c cancels ' +
        'the turn. Without a terminal each line of the input is a message, and only answers are printed.',
    )
    .addOption(new Option('--session <key>', 'go on with the session of this key; without it a new one is opened'))
    .addHelpText('after', "\nExample:\n  svc chat guide\n  echo 'What is open?' | svc chat guide --session morning\n")
    .action(async (agent: string, options: { session?: string }, command: Command) => {
      const context = makeContext(command);
      const service = context.service();
      const conversation = new Conversation(service, agent, options.session);
      if (!isInteractive(context.io)) return chatOverPipe(context.io, conversation);
      const me = (await service.request('GET', '/v1/me', {})) as Me;
      return new TerminalChat(context, conversation, agent, me.principal.id).run();
    });
}
