import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { commandGatewayContract } from '@aos/kernel/contracts';
import { ManualClock } from '@aos/kernel/testing';
import { commandsPath, CommandHandlers, CommandsController, PinoLog, startApp } from '@aos/platform';
import { Upstreams } from './upstreams.js';
import { HttpCommandGateway } from './http-command-gateway.js';

commandGatewayContract('HTTP between services', async (handler) => {
  const handlers = new CommandHandlers();
  handlers.register('sessions.note', handler);
  @Module({ controllers: [CommandsController], providers: [{ provide: CommandHandlers, useValue: handlers }] })
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
    gateway: new HttpCommandGateway(new CommandHandlers(), upstreams, app.core.identityTokens),
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
