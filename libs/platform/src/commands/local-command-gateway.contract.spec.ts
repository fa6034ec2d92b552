import type { JsonObject } from '@aos/kernel';
import { commandGatewayContract } from '@aos/kernel/contracts';
import { CallerCommand } from './caller-command.js';
import { LocalCommandGateway } from './local-command-gateway.js';
import { Routed } from './routed.js';
import { RoutedCommands } from './routed-commands.js';

@Routed('sessions.note', { stream: 'session', input: { type: 'object' } })
class NoteInSession extends CallerCommand<JsonObject, JsonObject> {}

commandGatewayContract('in one process', (handler) => {
  const routed = new RoutedCommands();
  routed.register(NoteInSession, ({ who, input, deliveryId }) =>
    handler({ name: 'sessions.note', payload: input as JsonObject, identity: who, deliveryId: deliveryId ?? '' }),
  );
  return Promise.resolve({
    gateway: new LocalCommandGateway(routed),
    command: 'sessions.note',
    unknown: ['sessions.unheard', 'unheard.of'],
    close: () => Promise.resolve(),
  });
});
