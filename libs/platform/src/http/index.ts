export { bodyBytesMax, Contract, largeBodyBytesMax, loadContract } from './contract/contract.js';
export type { ContractParameter, HttpMethod, Operation, Schema } from './contract/contract.js';
export { sayIgnored } from './contract/ignored.js';
export { Validators } from './contract/validators.js';
export type { QueryValues } from './contract/validators.js';
export { issuesMax, issuesOf, pointerPart } from './contract/issues.js';
export { isJsonContentType, parseJsonBody } from './server/json-body.js';
export { RefusalWithHeaders, answerFor, envelope } from './server/envelope.js';
export {
  identityHeader,
  IdentitySource,
  TokenIdentitySource,
  bearerKey,
  permissionDenied,
  requirePermission,
  unauthorized,
} from './server/authentication.js';
export type { Credentials } from './server/authentication.js';
export { whenThere, type Soon } from './server/when-there.js';
export {
  LocalRateLimiter,
  RateLimiter,
  TokenBuckets,
  UnknownKeys,
  bucketsOf,
  rateHeaders,
  rateLimited,
  standingOf,
} from './server/rate-limit.js';
export { countedAddress } from './server/client-address.js';
export { RateCharges } from './server/rate-charges.js';
export type { RateHolder, RateLimits, RateScope, RateStanding } from './server/rate-limit.js';
export type { RequestState } from './server/request-pipeline.js';
export { letRunOut } from './server/answers.js';
export { createHttpServer, httpLimits } from './server/fastify-server.js';
export type { HttpLimits, HttpServerParts } from './server/fastify-server.js';
export { warn } from './server/warnings.js';
export type { Warning } from './server/warnings.js';
export { consoleFolder } from './pages/console-build.js';
export { digestOf, pageHeaders } from './pages/page-policy.js';
export type { PagePolicy } from './pages/page-policy.js';
export { FirstKey } from './pages/first-key.js';
export type { FirstKeyIssued } from './pages/first-key.js';
export { ServedApp } from './server/served-app.js';
export { makeCore } from './app/core.js';
export type { Core, CoreOptions } from './app/core.js';
export { startApp } from './app/start-app.js';
export type { AppModules, RunningApp, StartOptions } from './app/start-app.js';
export { serve } from './app/serve.js';
export { listenFault } from './app/listen-fault.js';
export { startingHeader } from './app/early-answers.js';
export { Readiness, onceThere, sharedCheck } from './operations/readiness.js';
export type { ReadinessCheck } from './operations/readiness.js';
export { ContractQuery, JsonText, Who } from './rules/decorators.js';
export { Nested, instantiate } from './rules/nested.js';
export { notAllowedHere, RulesBody, RulesPipe } from './rules/rules-pipe.js';
export {
  JsonBytesMax,
  JsonDepthMax,
  MemberForms,
  TagRules,
  TotalUtf8BytesMax,
  UniqueBy,
  Utf8BytesMax,
  depthWithin,
} from './rules/rules.js';
export { pageLimitDefault, listScope, pageOf, positionOf } from './paging.js';
export type { ListPage, PageQuery } from './paging.js';
export { EncodedJson, encodeFrame } from './streams/frame.js';
export type { Frame } from './streams/frame.js';
export { SseConnection } from './streams/sse-connection.js';
export type { SseHandlers, StreamEnd } from './streams/sse-connection.js';
export { SseStreams } from './streams/sse-streams.js';
export { wantsStream } from './streams/wants-stream.js';
export { SocketConnection, closeCode } from './sockets/socket-connection.js';
export type { SocketHandlers } from './sockets/socket-connection.js';
export { Sockets } from './sockets/sockets.js';
export type { SocketOptions } from './sockets/sockets.js';
export { upgradeOf } from './server/upgrades.js';
export { ReservedSlot, StreamSlots, tooManyStreams } from './streams/stream-slots.js';
export type { StreamSlotSource } from './streams/stream-slots.js';
