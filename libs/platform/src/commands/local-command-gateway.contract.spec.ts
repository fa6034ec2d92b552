import { commandGatewayContract } from '@aos/kernel/contracts';
import { CommandHandlers, LocalCommandGateway } from './command-handlers.js';

commandGatewayContract('in one process', (handler) => {
  const handlers = new CommandHandlers();
  handlers.register('sessions.note', handler);
  return Promise.resolve({
    gateway: new LocalCommandGateway(handlers),
    command: 'sessions.note',
    unknown: ['sessions.unheard', 'unheard.of'],
    close: () => Promise.resolve(),
  });
});
