import type { Owner, WantedCustody } from '@aos/kernel';
import type { Disposition } from '@aos/definitions/published';

type Action = Disposition['action'];

/**
 * What may become of a resource when the audience of its agent changes.
 *
 * Takes    its type; its owner, who is a person for a private one (rule A25); null: not known yet.
 * Source   rule TE11.
 */
export function actionsOf(type: Disposition['resource_type'], owner: Owner | null): Action[] {
  const audience: Action[] = owner?.kind === 'team' ? ['keep_and_widen'] : ['make_private', 'keep_and_widen'];
  // sessions and tables have no use by the agent that could be taken away from them
  return type === 'skill' || type === 'artifact' ? ['revoke', ...audience] : audience;
}

/** The change of custody that an action is. `revoke` of a skill is none: the agent is changed. */
export function wantedBy(action: Action): WantedCustody {
  switch (action) {
    case 'revoke':
      return { detach: true, confirmed: true };
    case 'make_private':
      return { visibility: 'private', confirmed: true };
    case 'keep_and_widen':
      return { visibility: 'organization', confirmed: true };
  }
}
