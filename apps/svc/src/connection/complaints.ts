import { Complaint, messageIn } from '../console/complaint.js';
import type { Connection } from './connection.js';

type Where = Pick<Connection, 'url' | 'urlFrom' | 'keyFrom'>;
/** An answer of the service that refuses, as the client gives it. */
export type RefusedAnswer = {
  code: string;
  status: number;
  message: string;
  details?: Record<string, unknown>;
  requestId?: string | null;
};

const issuesMax = 20;

/** The service refused: says why in its words, and what to do next. */
export function refusedComplaint(refused: RefusedAnswer, where: Where): Complaint {
  const { code, status, message, requestId } = refused;
  const lines = [...unsaidLines(refused), ...nextSteps(refused, where)];
  const id = typeof requestId === 'string' && requestId !== '' ? [`Request: ${requestId}`] : [];
  return new Complaint(`${message} (${code}, ${status})`, [...lines, ...id]);
}

/** What of `details` says where the fault is, and the message does not say already. */
export function unsaidLines({ message, details = {} }: Pick<RefusedAnswer, 'message' | 'details'>): string[] {
  const { issues, conflicts, argument, ...others } = details;
  const rest = argument === undefined || message.startsWith(`${String(argument)}:`) ? others : { argument, ...others };
  const listed = [issues, conflicts].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const lines = listed.slice(0, issuesMax).map((issue) => {
    const { path, message } = (issue ?? {}) as { path?: unknown; message?: unknown };
    return typeof message === 'string'
      ? `${typeof path === 'string' && path !== '' ? `${path}: ` : ''}${message}`
      : JSON.stringify(issue);
  });
  if (listed.length > issuesMax) lines.push(`and ${listed.length - issuesMax} more`);
  return [
    ...lines.filter((line) => !message.endsWith(line)),
    ...Object.entries(rest).map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
  ];
}

/** A service answers 404 below a path that is not its own. */
function pathNote(url: string): string[] {
  const { origin, pathname } = new URL(url);
  if (pathname === '/') return [];
  return [`The address has the path ${pathname}. Where no proxy serves the service below it, its address is ${origin}`];
}

/** The command that lists what a refusal did not find; that of the agents where it is not known. */
function listOf(message: string): string {
  const what = /^no such ([a-z]+(?: hook| key)?)/i.exec(message)?.[1] ?? '';
  return `${lists.get(what) ?? 'agents'} list`;
}

const lists: ReadonlyMap<string, string> = new Map([
  ...[
    'session',
    'agent',
    'skill',
    'action',
    'table',
    'artifact',
    'interaction',
    'routine',
    'connection',
    'provider',
    'principal',
    'role',
    'turn',
  ].map((noun) => [noun, `${noun}s`] as const),
  ['person', 'principals'],
  ['web hook', 'webhooks'],
  ['API key', 'keys'],
]);

function nextSteps({ code, status, message }: RefusedAnswer, { url, keyFrom }: Where): string[] {
  if (status === 401)
    return [
      `The key from ${keyFrom ?? 'nowhere'} is not one of ${url}, or it has ended`,
      `Next: svc login --url ${url}, or set SVC_KEY to another key`,
    ];
  if (status === 403)
    return ['Next: svc principals me shows what this key may do; an administrator gives more: svc roles assign'];
  if (code === 'session_turn_active')
    return ['Next: wait for that turn, or end it: svc turns cancel <session_id> <turn_id>'];
  if (code === 'blueprint_resource_protected')
    return ['Next: lift the protection: svc blueprints protect <blueprint_key> --data \'{"protected":false}\''];
  if (status === 404) return [...pathNote(url), `Next: svc ${listOf(message)} shows what is within reach`];
  if (status === 400) return ['Next: --help of this command has an example that the service takes'];
  if (status === 429) return ['Next: wait a moment and try again'];
  if (status >= 500) return ['Next: svc doctor shows what is not well'];
  return [];
}

const notThere: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);
const notKnown: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** No answer came: nothing listens, the name is unknown, TLS failed, or the connection broke off. */
export function unreachableComplaint(error: unknown, { url, urlFrom }: Where): Complaint {
  const code = systemCode(error);
  const from =
    urlFrom === 'default' ? 'the default address' : `from ${urlFrom === 'profile' ? 'the profile' : urlFrom}`;
  if (notThere.has(code))
    return new Complaint(`nothing answers at ${url} (${from}, ${code})`, [
      'Next: start the service (npm start in a checkout), or name its address: --url, SVC_URL or svc login --url',
    ]);
  if (notKnown.has(code))
    return new Complaint(`the host of ${url} is unknown (${from}, ${code})`, [
      'Next: check the address: --url, SVC_URL or svc login --url',
    ]);
  if (/CERT|SELF_SIGNED|TLS|SSL/.test(code))
    return new Complaint(`the certificate of ${url} is not trusted (${code})`, [
      'Next: name the file of its authority in NODE_EXTRA_CA_CERTS',
    ]);
  return new Complaint(`no answer from ${url}: ${messageIn(deepest(error))}${code === '' ? '' : ` (${code})`}`, [
    'Next: svc doctor shows whether the service is well; check that the port is that of the service',
  ]);
}

/** What answers is another program. */
export function strangerComplaint({ url, urlFrom }: Where, what: string): Complaint {
  return new Complaint(`what answers at ${url} is not this service: ${what}`, [
    ...pathNote(url),
    `Next: check the port; the address is from ${urlFrom}, and another is named by --url, SVC_URL or svc login --url`,
  ]);
}

/** A fault of the program itself, or of the machine. */
export function complaintOf(error: unknown): Complaint {
  return new Complaint(messageIn(error));
}

/** The system's code of the innermost cause; empty when there is none. */
function systemCode(error: unknown): string {
  const code = (deepest(error) as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

const causesMax = 10;

function deepest(error: unknown): unknown {
  let found = error;
  for (let depth = 0; depth < causesMax; depth += 1) {
    const { cause, errors } = (found ?? {}) as { cause?: unknown; errors?: unknown[] };
    const next = cause ?? errors?.[0];
    if (next === undefined || next === null) return found;
    found = next;
  }
  return found;
}
