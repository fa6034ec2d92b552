import { framesOnce } from './frames.js';
import { typed } from './json.js';
import { nextPageBy, Pages } from './pages.js';
import { operations, type Resources } from './operations.js';
import { randomKey } from './retry.js';
import type { Call, Transport } from './transport.js';
import type { CallOptions } from './wire.js';

type Body = Record<string, unknown>;

const methods: Record<string, string> = { GE: 'GET', PO: 'POST', PU: 'PUT', PA: 'PATCH', DE: 'DELETE' };

/** The operations of the contract as methods, by the table that is made from it. */
export function resourcesOf(transport: Transport): Resources {
  const groups = operations.split('\n\n').map((group) => {
    const [head = '', ...lines] = group.split('\n');
    const [noun, base = ''] = head.split(' ');
    return [noun, Object.fromEntries(lines.map((line) => methodOf(transport, line, base)))];
  });
  return typed<Resources>(Object.fromEntries(groups));
}

function methodOf(transport: Transport, line: string, base: string): [string, (...given: unknown[]) => unknown] {
  const [name = '', entry = '', flags = ''] = line.split(' ');
  const method = methods[entry.slice(0, 2)] as string;
  let ids = 0;
  const path = (entry[2] === '^' ? entry.slice(3) : base + entry.slice(2)).replace(/\*/g, () => `{${ids++}}`);
  const call = (...given: unknown[]) => {
    const values = given.splice(0, ids).map(String);
    if (values.length < ids) throw new TypeError(`${name} takes ${ids} ids`);
    const body = flags.includes('b') ? given.shift() : undefined;
    const query = flags.includes('q') ? (given.shift() as Call['query']) : undefined;
    const options = given.shift() as CallOptions | undefined;
    return carryOut(
      transport,
      { method, path, flags },
      { ...withKey({ ...options, query, body }, flags), path: Object.fromEntries(values.entries()) },
    );
  };
  return [name, call];
}

function carryOut(
  transport: Transport,
  { method, path, flags }: { method: string; path: string; flags: string },
  call: Call,
): unknown {
  const page = /[csaw]/.exec(flags)?.[0];
  if (page !== undefined) {
    const read = (next: Record<string, string | number>) =>
      transport.json(
        method,
        path,
        method === 'POST'
          ? { ...call, body: { ...(call.body as Body | undefined), ...next } }
          : { ...call, query: { ...call.query, ...next } },
      );
    return new Pages(read, nextPageBy(page, call.query));
  }
  if (flags.includes('e')) return framesOnce(() => transport.open(method, path, call));
  if (flags.includes('o')) return transport.whole(method, path, call);
  if (flags.includes('t')) return transport.whole(method, path, call).then((answer) => answer.text());
  return transport.json(method, path, call);
}

/**
 * A write that can be repeated under a key gets one, where the caller gave none; the header says so to the transport.
 * An invocation that always opens a session of its own has none: a repeat would open another.
 */
export function withKey(call: Call, flags: string): Call {
  const keyedBy = /[ikh]/.exec(flags)?.[0];
  if (keyedBy === undefined) return call;
  const body = (call.body ?? {}) as Body & { input?: Body; session?: { mode?: string; session_key?: string } };
  const holder = keyedBy === 'i' && body.input !== undefined ? body.input : body;
  const given = keyedBy === 'h' ? undefined : holder['idempotency_key'];
  const header = Object.entries(call.headers ?? {}).find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
  const key = typeof given === 'string' && given.trim() !== '' ? given : (header ?? randomKey());
  const keyed = { ...holder, idempotency_key: key };
  const sent = keyedBy === 'h' ? call.body : holder === body ? keyed : { ...body, input: keyed };
  if (body.session?.mode === 'new') return { ...call, body: sent };
  return { ...call, body: sent, headers: { ...call.headers, 'idempotency-key': key } };
}
