import type { JsonObject } from './json.js';
import type { components, operations } from './openapi.js';

export type OperationId = keyof operations;

/** JSON of one of the contract's schemas: `Schema<'Agent'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** What an operation takes as its body; a form for those that upload. */
export type RequestBody<Id extends OperationId> =
  NonNullable<MemberOf<operations[Id], 'requestBody'>> extends { content: infer Content }
    ? Content extends { 'application/json': infer Body }
      ? Body
      : FormData
    : never;

/** JSON of an operation's success; nothing for one that answers 204. */
export type Reply<Id extends OperationId> = JsonOf<SuccessOf<operations[Id]['responses']>>;

export type Query<Id extends OperationId> = NonNullable<MemberOf<operations[Id]['parameters'], 'query'>>;

/** A row of a list. */
export type ItemOf<Id extends OperationId> = Reply<Id> extends { items?: (infer Item)[] } ? Item : never;

/** One frame of an event stream: `data` as it came, `id` where the frame has a position. */
export interface Frame<Data = JsonObject> {
  id?: string;
  data: Data;
}

export type TranscriptFrame = Frame<Schema<'SessionTranscriptFrame'>>;
export type SourceEvent = Schema<'SourceEvent'>;

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Of one attempt; the client's own `timeoutMs` when left out. */
  timeoutMs?: number;
}

type MemberOf<Holder, Name extends string> = Holder extends { [member in Name]?: infer Member } ? Member : never;

type JsonOf<Body> = Body extends { content: { 'application/json': infer Content } } ? Content : undefined;

type SuccessStatus = 200 | 201 | 202 | 204;
/** A status with a stream besides JSON (an invocation) counts for its JSON. */
type SuccessOf<Responses> = WithJson<Responses[keyof Responses & SuccessStatus]>;
type WithJson<Answer> =
  Extract<Answer, { content: { 'application/json': unknown } }> extends never
    ? Answer
    : Extract<Answer, { content: { 'application/json': unknown } }>;
