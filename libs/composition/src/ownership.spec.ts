import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamicModule, Type } from '@nestjs/common';
import { services } from '@aos/gateway';
import { commandOf, routedCommands, type RoutedClass } from '@aos/platform';
import { contextsOf } from './fleet.js';
import { portsModule } from './ports.module.js';

type ServiceName = keyof typeof services;
type Listed = Type | DynamicModule;

const root = join(__dirname, '..', '..', '..');
const names = Object.keys(services) as ServiceName[];

const isDynamic = (module: Listed): module is DynamicModule => 'module' in module;

/** What a decorator or a dynamic module lists under `providers` or `imports`. */
function listed(module: Listed, member: 'providers' | 'imports'): unknown[] {
  const [type, own] = isDynamic(module) ? [module.module, module[member] ?? []] : [module, []];
  return [...((Reflect.getMetadata(member, type) as unknown[] | undefined) ?? []), ...own];
}

/** Every module that is reached from these, once. */
function reached(modules: readonly Listed[]): Set<Listed> {
  const found = new Set<Listed>();
  const visit = (module: Listed) => {
    if (found.has(module)) return;
    found.add(module);
    for (const imported of listed(module, 'imports')) visit(imported as Listed);
  };
  for (const module of modules) visit(module);
  return found;
}

/** The commands that a service's modules handle, as often as a module lists a handler of them. */
async function handledBy(service: ServiceName): Promise<RoutedClass[]> {
  const modules = reached([portsModule({ eventStore: {} } as never), ...((await contextsOf(service)) as Listed[])]);
  return [...modules]
    .flatMap((module) => listed(module, 'providers'))
    .map((provider) => commandOf(provider))
    .filter((command) => command !== null);
}

describe('ownership', () => {
  it('every routed command has one handler, in the modules of its owner and in no others', async () => {
    const handled = new Map(await Promise.all(names.map(async (name) => [name, await handledBy(name)] as const)));
    expect(routedCommands().length).toBeGreaterThan(1);
    for (const { name, type, owner } of routedCommands()) {
      const owners = names.filter((service) =>
        'stream' in owner
          ? services[service].streams.includes(owner.stream)
          : owner.service === service || owner.service === 'every',
      );
      const handlers = names.flatMap((service) =>
        (handled.get(service) ?? []).filter((command) => command === type).map(() => service),
      );
      expect([name, handlers]).toEqual([name, owners]);
      expect([name, owners.length]).toEqual([name, 'service' in owner && owner.service === 'every' ? names.length : 1]);
    }
  });

  it('every stream but that of names has one writer', () => {
    const kinds = globSync('libs/*/src/**/*.ts', { cwd: root })
      .filter((file) => !/\.(spec|contract|fixture)\.ts$|\/testing\//.test(file))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .filter((text) => text.includes(': StreamKind<'))
      .flatMap((text) => [...text.matchAll(/^ {2}category: '(\w+)',$/gm)].map(([, category]) => category ?? ''));
    expect(kinds.length).toBeGreaterThan(20);
    const writers = (stream: string) => names.filter((service) => services[service].streams.includes(stream));
    for (const kind of new Set(kinds)) expect([kind, writers(kind).length]).toEqual([kind, kind === 'name' ? 2 : 1]);
  });
});
