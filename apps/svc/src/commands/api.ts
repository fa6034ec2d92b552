import { Command, Option } from 'commander';
import { usageComplaint } from '../console/complaint.js';
import { bodyFrom } from '../operations/request-body.js';
import { printStream } from '../operations/stream-output.js';
import type { CommandContext, MakeContext } from '../context/command-context.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const streamPath = /\/stream$/;

/** `svc api <METHOD> <path>`: any request, for what has no command of its own. */
export function addApiCommand(program: Command, makeContext: MakeContext): void {
  program
    .command('api <METHOD> <path>')
    .summary('send any request of the API')
    .description(
      'Sends one request with your key and prints its answer as it is. A path that ends with /stream is followed.',
    )
    .addOption(new Option('--data <json>', 'body: JSON, @file, or - for standard input'))
    .addHelpText(
      'after',
      "\nExample:\n  svc api GET '/v1/agents?limit=5'\n  svc api POST /v1/agents --data @agent.json\n",
    )
    .action(async (method: string, path: string, options: { data?: string }, command: Command) => {
      await send(makeContext(command), { method: method.toUpperCase(), path }, options.data);
    });
}

async function send(
  context: CommandContext,
  { method, path }: { method: string; path: string },
  data: string | undefined,
): Promise<void> {
  if (!methods.includes(method))
    throw usageComplaint(`${method} is no method of the API`, `One of ${methods.join(', ')}`);
  if (!path.startsWith('/') || path.startsWith('//'))
    throw usageComplaint(`${path} is no path: it begins with /`, 'svc api GET /v1/agents');
  if (method === 'DELETE') await context.confirm(`DELETE ${path}`);
  const { pathname, searchParams } = new URL(path, 'http://service');
  const body = data === undefined ? undefined : await bodyFrom(data, context.io);
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(searchParams.keys())) query[name] = searchParams.getAll(name);
  const call = { path: pathname, query, headers: {}, ...(body === undefined ? {} : { body }) };
  if (method === 'GET' && streamPath.test(pathname)) return printStream(context, call);
  context.print(await context.service().request(method, pathname, call));
}
