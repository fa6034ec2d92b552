import type { ApiCall } from './call';

/** The call as a shell command. The key is `$SVC_KEY`, never the key itself. */
export function curlOf({ operation, ids, body, query }: ApiCall, origin: string): string {
  const url = `${origin}${pathOf(operation.path, ids)}${queryText(query)}`;
  const lines = [
    operation.method === 'GET' ? `curl -s ${quoted(url)}` : `curl -s -X ${operation.method} ${quoted(url)}`,
    '-H "Authorization: Bearer $SVC_KEY"',
    ...bodyLines(body),
  ];
  return lines.join(' \\\n  ');
}

function bodyLines(body: unknown): string[] {
  if (body === undefined) return [];
  if (body instanceof FormData)
    return [...body].map(([name, value]) => `-F ${quoted(`${name}=${isFile(value) ? `@${value.name}` : value}`)}`);
  return [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`];
}

function isFile(value: unknown): value is File {
  return typeof value !== 'string';
}

/** The call as TypeScript of the client. */
export function typescriptOf({ operation, ids, body, query }: ApiCall, origin: string): string {
  const given = [
    ...ids.map((id) => JSON.stringify(id)),
    ...(body === undefined ? [] : [body instanceof FormData ? 'form' : literal(body)]),
    ...(query === undefined || queryText(query) === '' ? [] : [literal(withoutEmpty(query))]),
  ];
  const said = `svc.${operation.noun}.${operation.verb}(${given.join(', ')})`;
  const use =
    operation.paging === null ? `const answer = await ${said};` : `for await (const row of ${said}) console.log(row);`;
  return [
    ...(body instanceof FormData ? [`import { openAsBlob } from 'node:fs';`] : []),
    `import { AgentService } from 'agent-service-client';`,
    '',
    `const svc = new AgentService({ baseUrl: ${JSON.stringify(origin)}, key: process.env.SVC_KEY });`,
    ...(body instanceof FormData ? formLines(body) : []),
    use,
  ].join('\n');
}

function formLines(form: FormData): string[] {
  const parts = [...form].map(([name, value]) =>
    isFile(value)
      ? `form.append(${JSON.stringify(name)}, await openAsBlob(${JSON.stringify(value.name)}), ${JSON.stringify(value.name)});`
      : `form.append(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  return ['const form = new FormData();', ...parts];
}

function pathOf(path: string, ids: readonly string[]): string {
  const left = [...ids];
  return path.replace(/\*/g, () => encodeURIComponent(left.shift() ?? ''));
}

function queryText(query: Record<string, unknown> = {}): string {
  const pairs = Object.entries(withoutEmpty(query)).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function withoutEmpty(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}

/** For a shell: between single quotes, in which only they mean something. */
function quoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}

/** JSON with names that need no quotes without them. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}
