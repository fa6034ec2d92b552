import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccessModule, OperatorCommands, operatorAnswer, type OperatorAnswer, type OperatorAsk } from '@aos/access';
import { SystemClock } from '@aos/adapters/system';
import { embeddedPorts, logAdministration, portsModule } from '@aos/composition';
import { Clock } from '@aos/kernel';
import { BrowserTokens, CursorSeal, PinoLog, Readiness, ServedApp, Settings, makeCore, type Core } from '@aos/platform';

@Module({})
class OwnDirectoryModule {
  static over({ app, browserTokens, clock, cursors, readiness, settings }: Core): DynamicModule {
    const providers = [
      { provide: BrowserTokens, useValue: browserTokens },
      { provide: Clock, useValue: clock },
      { provide: CursorSeal, useValue: cursors },
      { provide: Readiness, useValue: readiness },
      { provide: ServedApp, useValue: app },
      { provide: Settings, useValue: settings },
    ];
    const exports = providers.map(({ provide }) => provide);
    return { module: OwnDirectoryModule, global: true, providers, exports };
  }
}

/**
 * Opens the data directory itself, runs the command and closes it again. Refuses `DirectoryInUse` while a process holds
 * it.
 */
export async function askOwnDirectory(env: NodeJS.ProcessEnv, ask: OperatorAsk): Promise<OperatorAnswer> {
  const core = makeCore('svc', {
    clock: new SystemClock(),
    env,
    log: PinoLog.create({ app: 'svc', level: 'silent', pretty: false }),
  });
  const ports = await embeddedPorts(core);
  try {
    const nest = await NestFactory.createApplicationContext(
      {
        module: OwnDirectoryModule,
        imports: [OwnDirectoryModule.over(core), portsModule(ports), AccessModule, await logAdministration(ports)],
      },
      { logger: false, abortOnError: false },
    );
    try {
      return await operatorAnswer(nest.get(OperatorCommands), ask.words, ask.options);
    } finally {
      await nest.close();
    }
  } finally {
    await ports.close();
  }
}
