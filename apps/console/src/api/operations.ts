import { operationTable } from '@aos/client';
import { permissions } from 'virtual:contract';

export interface Operation {
  noun: string;
  verb: string;
  method: string;
  /** With `*` for each id. */
  path: string;
  ids: number;
  takesBody: boolean;
  takesQuery: boolean;
  /** What continues a page, as the client's table says it; null for what is no list. */
  paging: 'cursor' | 'after' | 'sequence' | 'whole' | null;
  permission: string | null;
}

const methods: Record<string, string> = { GE: 'GET', PO: 'POST', PU: 'PUT', PA: 'PATCH', DE: 'DELETE' };
const pagings = { c: 'cursor', a: 'after', s: 'sequence', w: 'whole' } as const;

const permissionByLine = new Map(
  Object.entries(permissions).flatMap(([permission, lines]) => lines.split('\n').map((line) => [line, permission])),
);

const operations = new Map(
  operationTable.split('\n\n').flatMap((group) => {
    const [head = '', ...lines] = group.split('\n');
    const [noun = '', base = ''] = head.split(' ');
    return lines.map((line): [string, Operation] => {
      const operation = operationOf(noun, base, line);
      return [`${noun}.${operation.verb}`, operation];
    });
  }),
);

function operationOf(noun: string, base: string, line: string): Operation {
  const [verb = '', route = '', flags = ''] = line.split(' ');
  const method = methods[route.slice(0, 2)] ?? '';
  const path = route[2] === '^' ? route.slice(3) : base + route.slice(2);
  const [flag] = /[casw]/.exec(flags) ?? [];
  return {
    noun,
    verb,
    method,
    path,
    ids: path.split('*').length - 1,
    takesBody: flags.includes('b'),
    takesQuery: flags.includes('q'),
    paging: flag === undefined ? null : pagings[flag as keyof typeof pagings],
    permission: permissionByLine.get(`${method} ${path}`) ?? null,
  };
}

/** An operation of the client by noun and verb. */
export function operation(noun: string, verb: string): Operation {
  const found = operations.get(`${noun}.${verb}`);
  if (found === undefined) throw new TypeError(`the client has no ${noun}.${verb}`);
  return found;
}
