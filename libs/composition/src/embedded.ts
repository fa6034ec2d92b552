import { AccessModule } from '@aos/access';
import { DefinitionsModule } from '@aos/definitions';
import { SessionsModule } from '@aos/sessions';
import type { AppModules, Core } from '@aos/platform';
import { embeddedPorts } from './embedded.ports.js';
import { FirstStartModule } from './first-start.module.js';
import { portsModule } from './ports.module.js';
import { InlineStreams } from '@aos/sessions/published';
class StreamsModule {}
const streams = { module: StreamsModule, global: true, providers: [{ provide: InlineStreams, useValue: {} }], exports: [InlineStreams] };

/** Every context over the embedded adapters. */
export async function embeddedModules(core: Core): Promise<AppModules> {
  const ports = await embeddedPorts(core);
  core.closers.push(() => ports.close());
  return [portsModule(ports), AccessModule, DefinitionsModule, SessionsModule, streams as never, FirstStartModule];
}
