import type { AgentService, Pages, Resources } from '@aos/client';
import { operation, type Operation } from './operations';

type Query = Record<string, unknown>;
type Method = (...given: unknown[]) => unknown;

/** A call of the API that can be made, shown and found again: an operation with its ids, body and query. */
export interface ApiCall<Result = unknown> {
  readonly operation: Operation;
  readonly ids: readonly string[];
  readonly body: unknown;
  readonly query: Query | undefined;
  /** Only a type: what the client's method gives. */
  readonly result?: Result;
}

type ArgumentsOf<F> = F extends (...given: infer Given) => unknown ? Given : never;
type ResultOf<F> = F extends (...given: never[]) => infer Result ? Result : never;

/** Takes noun and verb of the client and what its method takes: `call('skills', 'get', id)`. */
export function call<Noun extends keyof Resources, Verb extends keyof Resources[Noun] & string>(
  noun: Noun,
  verb: Verb,
  ...given: ArgumentsOf<Resources[Noun][Verb]>
): ApiCall<ResultOf<Resources[Noun][Verb]>> {
  const of = operation(noun, verb);
  const rest: unknown[] = [...given];
  const ids = rest.splice(0, of.ids).map(String);
  const body = of.takesBody ? rest.shift() : undefined;
  const query = of.takesQuery ? (rest.shift() as Query | undefined) : undefined;
  return { operation: of, ids, body, query };
}

/** Where a query is kept: the noun first, so that everything about a noun is found by it. */
export function keyOf({ operation: { noun, verb }, ids, body, query }: ApiCall): readonly unknown[] {
  return [noun, verb, ...ids, ...(body === undefined ? [] : [body]), ...(query === undefined ? [] : [query])];
}

/** Carries the call out. For a list that gives `Pages`, which asks for nothing by itself. */
export function carryOut<Result>(svc: AgentService, of: ApiCall<Result>, signal?: AbortSignal): Result {
  const { noun, verb, takesBody, takesQuery } = of.operation;
  const group = Reflect.get(svc, noun) as Record<string, Method> | undefined;
  const method = group?.[verb];
  if (method === undefined) throw new TypeError(`the client has no ${noun}.${verb}`);
  const given = [...of.ids, ...(takesBody ? [of.body] : []), ...(takesQuery ? [of.query] : []), { signal }];
  return method(...given) as Result;
}

export interface PageOf<Item> {
  items?: Item[];
  has_more?: boolean;
  next_cursor?: string | null;
}

/** The page of a list behind a position; the first one without. */
export function pageOf<Item, Page>(
  svc: AgentService,
  of: ApiCall<Pages<Item, Page>>,
  position: string | null,
  signal?: AbortSignal,
): Promise<Page> {
  const next = position === null ? {} : { [of.operation.paging === 'after' ? 'after' : 'cursor']: position };
  const at =
    of.operation.method === 'POST'
      ? { ...of, body: { ...(of.body as Query), ...next } }
      : { ...of, query: { ...of.query, ...next } };
  return carryOut(svc, at, signal).page();
}
