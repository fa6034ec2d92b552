import type { CommandContext } from '../context/command-context.js';
import { usageComplaint } from '../console/complaint.js';
import { withProgress } from '../console/progress.js';
import { pathPart } from '../connection/path-part.js';
import type { Service } from '../connection/service.js';
import type { Operation, OperationOption, Pages } from './operation.js';

/** What was typed of an operation, as it goes over the wire. */
export type Call = {
  path: string;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  body?: unknown;
  /** Most rows of a list that are wanted. */
  rowsMax?: number;
};

type Page = Record<string, unknown> & { items: unknown[]; has_more?: boolean };

const pageRows = 100;
/** More rows than this are not gathered: `--limit` and the filters of the list say what is wanted. */
const gatheredMax = 100_000;
/** Members that say where a page lies; the rest of an answer is more than its rows. */
const ofPaging: ReadonlySet<string> = new Set([
  'items',
  'has_more',
  'next_cursor',
  'next_sequence',
  'prev_sequence',
  'limit',
  'count',
]);

type Way = Pick<Pages, 'to' | 'in'>;

/** Of rows by sequence, taken from the newest end. */
const backwards = { from: 'prev_sequence', to: 'before_sequence', in: 'query' } as const;

/** Takes the members of the path in their order; gives the path with them. */
export function filledPath({ path, args }: Operation, given: readonly string[]): string {
  return args.reduce((filled, name, index) => filled.replace(`{${name}}`, pathPart(name, given[index] ?? '')), path);
}

/** The option of a parameter: `session_key` is `--session-key`. */
export function optionName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** Takes an option's text; gives it as it goes out. Refuses what its type does not take. */
export function wireText({ name, type }: OperationOption, text: string): string {
  if (type === 'integer' && !/^-?\d+$/.test(text))
    throw usageComplaint(`--${optionName(name)} takes a whole number, not ${text}`);
  return text;
}

/** Does the operation. Gives what is printed: rows of a list, all pages of it, or the whole answer. */
export async function carryOut(context: CommandContext, operation: Operation, call: Call): Promise<unknown> {
  const service = context.service();
  const { method, pages, answer } = operation;
  if (answer === 'bytes') return service.bytes(method, call.path, call);
  if (!pages) return rowsOf(await service.request(method, call.path, call), operation);
  return withProgress(context.io, 'rows', (count) => allRows(service, { operation, call, pages }, count));
}

function rowsOf(answer: unknown, { pages }: Operation): unknown {
  if (pages === undefined || typeof answer !== 'object' || answer === null) return answer;
  return Object.keys(answer).every((name) => ofPaging.has(name)) ? (answer as Page).items : answer;
}

async function allRows(
  service: Service,
  { operation, call, pages }: { operation: Operation; call: Call; pages: Pages },
  count: (done: number) => void,
): Promise<unknown[]> {
  const wanted = call.rowsMax ?? gatheredMax;
  const isBack = call.query['order'] === 'desc';
  const way = isBack && pages.from === 'next_sequence' ? backwards : pages;
  const read: unknown[][] = [];
  const rows = () => (isBack ? read.reverse() : read).flat(); // oldest first, as the rows of each page are
  let position: string | undefined;
  for (let done = 0; done < wanted;) {
    const page = await service.request(operation.method, call.path, askFor(call, way, wanted - done, position));
    const { items, has_more: hasMore, [way.from]: next } = page as Page;
    read.push(items);
    done += items.length;
    count(done);
    if (hasMore !== true || next === undefined || next === null) return rows();
    if (String(next) === position) throw new Error(`the page after ${position} has more but leads nowhere`);
    position = String(next);
  }
  if (call.rowsMax === undefined)
    throw usageComplaint(`more than ${gatheredMax} rows`, 'Ask for fewer: --limit, or a filter of this list');
  return rows();
}

function askFor(call: Call, { to, in: part }: Way, left: number, position: string | undefined): Call {
  const limit = Math.min(pageRows, left);
  if (part === 'query') {
    const from = position === undefined ? {} : { [to]: position };
    return { ...call, query: { ...call.query, limit: String(limit), ...from } };
  }
  const from = position === undefined ? {} : { [to]: position };
  return { ...call, body: { ...(call.body as object | undefined), limit, ...from } };
}
