import { AccessModule } from '@aos/access';
import { DefinitionsModule } from '@aos/definitions';
import { SessionsModule } from '@aos/sessions';
import { StreamsModule } from '@aos/streams';
import type { AppModules, Core } from '@aos/platform';
import { embeddedPorts } from './embedded.ports.js';
import { FirstStartModule } from './first-start.module.js';
import { portsModule } from './ports.module.js';

/** Every context over the embedded adapters. */
export async function embeddedModules(core: Core): Promise<AppModules> {
  const ports = await embeddedPorts(core);
  core.closers.push(() => ports.close());
  return [portsModule(ports), AccessModule, DefinitionsModule, SessionsModule, StreamsModule, FirstStartModule];
}
