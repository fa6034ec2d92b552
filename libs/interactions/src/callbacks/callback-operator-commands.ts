import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Ids, basePermissions, invalidArgument, looksLikeId, notFound } from '@aos/kernel';
import { CommandSender, Decisions } from '@aos/platform';
import { OperatorCommands, systemPrincipalId, type OperatorUsage } from '@aos/access/published';
import { interactionKind } from '../interaction/interaction.state.js';
import { RedriveCallback } from './callbacks.commands.js';

export const callbackUsages = {
  redrive: {
    name: 'callback redrive',
    words: '<interaction_id>',
    summary: 'Sends an abandoned interaction callback again, with its old delivery id.',
  },
} satisfies Record<string, OperatorUsage>;

/** Rule I35: what was given up is sent again on an operator's word. */
@Injectable()
export class CallbackOperatorCommands implements OnModuleInit {
  constructor(
    private readonly operator: OperatorCommands,
    private readonly sender: CommandSender,
    private readonly decisions: Decisions,
    private readonly ids: Ids,
  ) {}

  onModuleInit(): void {
    this.operator.register({
      ...callbackUsages.redrive,
      run: async ({ args: [interactionId = ''] }) => {
        if (!looksLikeId('iact', interactionId))
          throw invalidArgument('interaction_id', 'is missing or no interaction id');
        const {
          state: { opening },
        } = await this.decisions.load(interactionKind, interactionId);
        if (!opening) throw notFound('interaction');
        const { org_id: orgId } = opening;
        const requestId = `svc-${this.ids.ulid()}`;
        const identity = {
          orgId,
          principalId: systemPrincipalId(orgId),
          kind: 'system' as const,
          apiKeyId: null,
          permissions: new Set(basePermissions),
          roles: [],
          cap: null,
          requestId,
          ip: null,
        };
        return this.sender.send(new RedriveCallback(identity, { interaction_id: interactionId }, requestId));
      },
    });
  }
}
