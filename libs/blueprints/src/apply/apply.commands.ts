import type { Reply } from '@aos/contract';
import { CallerCommand } from '@aos/platform';
import type { BlueprintIdentity } from '../blueprint/blueprint.state.js';
import type { ApplyBody } from '../plan/request.decide.js';

/** A blueprint with a key: one that can be changed as a whole. */
export type KeyedIdentity = BlueprintIdentity & { blueprintKey: string };

/** Preview or apply, as the body says. */
export class ApplyBlueprint extends CallerCommand<
  { body: ApplyBody; includesValues: boolean },
  Reply<'applyBlueprint'>
> {}

export class SetProtection extends CallerCommand<
  { identity: KeyedIdentity; isProtected: boolean },
  Reply<'setBlueprintProtection'>
> {}

/** `deletesRetained`: also deletes what its entry keeps when the blueprint is destroyed. */
export class DeleteBlueprint extends CallerCommand<
  { identity: KeyedIdentity; deletesRetained: boolean },
  Reply<'deleteBlueprint'>
> {}
