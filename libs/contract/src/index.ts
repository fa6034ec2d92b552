import type { components, operations } from './openapi.js';

export type SchemaName = keyof components['schemas'];
export type OperationId = keyof operations;

/** JSON of one of the contract's schemas. It fits `JsonObject`, and a plain object literal fits it. */
export type Schema<Name extends SchemaName> = components['schemas'][Name];

/** JSON body that an operation takes; `never` for one that takes none. */
export type RequestBody<Id extends OperationId> = JsonOf<NonNullable<MemberOf<operations[Id], 'requestBody'>>>;

/** JSON body of an operation's success, whichever of its 2xx answers it is; `never` for one that has none. */
export type Reply<Id extends OperationId> = JsonOf<SuccessOf<operations[Id]['responses']>>;

/** Query of an operation after parsing; `never` for one that takes none. */
export type QueryOf<Id extends OperationId> = NonNullable<MemberOf<operations[Id]['parameters'], 'query'>>;

/**
 * Only the members that the contract names, at every depth; what is opaque stays JSON. For what a class implements and
 * for literals that may hold nothing else: a schema that is open to more takes any member.
 */
export type Members<T> = T extends readonly (infer Item)[]
  ? Members<Item>[]
  : T extends object
    ? keyof Named<T> extends never
      ? T
      : { [Name in keyof Named<T>]: Members<Named<T>[Name]> }
    : T;

type Named<T> = { [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name] };

type MemberOf<Holder, Name extends string> = Holder extends { [member in Name]?: infer Member } ? Member : never;

type JsonOf<Body> = Body extends { content: { 'application/json': infer Content } } ? Content : never;

type SuccessStatus = 200 | 201 | 202 | 204;
type SuccessOf<Responses> = Responses[keyof Responses & SuccessStatus];
