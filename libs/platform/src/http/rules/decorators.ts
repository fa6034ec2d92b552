import { Header, createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Identity } from '@aos/kernel';
import type { RequestState } from '../server/request-pipeline.js';

function stateOf(context: ExecutionContext): RequestState {
  // `switchToHttp` makes three functions anew for every parameter of every request
  const { svc } = context.getArgByIndex<FastifyRequest>(0);
  if (!svc) throw new Error('the request did not pass the pipeline');
  return svc;
}

/** The caller's `Identity`. */
export const Who = createParamDecorator((_none: undefined, context: ExecutionContext): Identity => {
  const { identity } = stateOf(context);
  if (!identity) throw new Error('this operation has no caller');
  return identity;
});

/** The query as the contract types it: numbers, booleans, lists, defaults filled in. With a name, that one value. */
export const ContractQuery = createParamDecorator((name: string | undefined, context: ExecutionContext): unknown => {
  const { query } = stateOf(context);
  return name === undefined ? query : query[name];
});

/** Of a route whose controller gives JSON as text: it leaves as it is, with the type that objects leave with. */
export const JsonText = (): MethodDecorator => Header('content-type', 'application/json; charset=utf-8');
