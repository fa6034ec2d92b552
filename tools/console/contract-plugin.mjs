// Gives the console what it needs of the contract without carrying all of it: `virtual:contract` has the permission of each
// operation, by method and path with `*` for an id.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const module = 'virtual:contract';
const resolved = `\0${module}`;
const methods = ['get', 'post', 'put', 'patch', 'delete'];

export function contractPlugin(file) {
  return {
    name: 'contract',
    resolveId: (id) => (id === module ? resolved : undefined),
    load(id) {
      if (id !== resolved) return undefined;
      this.addWatchFile(file);
      return `export const permissions = ${JSON.stringify(permissionsOf(parse(readFileSync(file, 'utf8'))))};`;
    },
  };
}

/** Takes the contract; gives permission -> operations, as a line of `GET /v1/skills/*` each. */
export function permissionsOf(contract) {
  const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method]?.['x-permission']?.startsWith('svc.'))
      .map((method) => [item[method]['x-permission'], `${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, '*')}`]),
  );
  const byPermission = Map.groupBy(operations, ([permission]) => permission);
  return Object.fromEntries(
    [...byPermission].map(([permission, of]) => [permission, of.map(([, line]) => line).join('\n')]),
  );
}
