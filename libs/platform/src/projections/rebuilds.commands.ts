import { CallerCommand } from '../commands/caller-command.js';
import { Routed } from '../commands/routed.js';
import type { VerifyAnswer } from './rebuilds.js';

/** Names that the fleet's operator sends to every service, over HTTP. */
export const rebuildCommands = { verify: 'projections.verify', rebuild: 'projections.rebuild' } as const;

/** Has a service check its projections against the log, or tells how far it is. */
@Routed(rebuildCommands.verify, { service: 'every', callers: 'operator', input: { type: 'object' } })
export class VerifyProjections extends CallerCommand<Record<string, never>, VerifyAnswer> {}

/** Has a service build one of its projections again. */
@Routed(rebuildCommands.rebuild, {
  service: 'every',
  callers: 'operator',
  input: { type: 'object', properties: { projection: { type: 'string' } } },
})
export class RebuildProjection extends CallerCommand<{ projection?: string }, { rebuilding: string[] }> {}
