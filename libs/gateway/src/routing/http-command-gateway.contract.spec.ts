import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { commandGatewayContract } from '@aos/kernel/contracts';
import { ManualClock } from '@aos/kernel/testing';
import type { JsonObject } from '@aos/kernel';
import {
  CallerCommand,
  commandsPath,
  CommandsController,
  PinoLog,
  Routed,
  RoutedCommands,
  startApp,
} from '@aos/platform';
import { Upstreams } from './upstreams.js';
import { HttpCommandGateway } from './http-command-gateway.js';

@Routed('sessions.note', { stream: 'session', input: { type: 'object' } })
class NoteInSession extends CallerCommand<JsonObject, JsonObject> {}

commandGatewayContract('HTTP between services', async (handler) => {
  const routed = new RoutedCommands();
  routed.register(NoteInSession, ({ who, input, deliveryId }) =>
    handler({ name: 'sessions.note', payload: input as JsonObject, identity: who, deliveryId: deliveryId ?? '' }),
  );
  @Module({ controllers: [CommandsController], providers: [{ provide: RoutedCommands, useValue: routed }] })
  class TargetModule {}

  const clock = new ManualClock();
  const folder = mkdtempSync(join(tmpdir(), 'commands-'));
  let losesAnswer = false;
  const app = await startApp('session-service', [TargetModule], {
    clock,
    log: PinoLog.create({ app: 'test', level: 'silent', pretty: false }),
    identities: 'signed',
    internalPaths: [commandsPath],
    graceMs: 200,
    env: { SVC_PORT: '0', SVC_DATA_DIR: folder },
    routes: (server) => {
      server.addHook('onSend', (request, _reply, body, done) => {
        if (losesAnswer) request.raw.socket.destroy();
        losesAnswer = false;
        done(null, body);
      });
    },
  });
  const upstreams = new Upstreams({ 'session-service': [app.url] }, clock, { heartbeatSeconds: 15 });
  return {
    gateway: new HttpCommandGateway(new RoutedCommands(), upstreams, app.core.identityTokens),
    command: 'sessions.note',
    unknown: ['sessions.unheard', 'unheard.of'],
    loseNextAnswer: () => {
      losesAnswer = true;
    },
    async close() {
      await upstreams.close();
      await app.stop();
      rmSync(folder, { recursive: true });
    },
  };
});
