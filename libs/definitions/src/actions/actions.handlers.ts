import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Schema } from '@aos/contract';
import { Clock, rfc3339 } from '@aos/kernel';
import { CallerCommand } from '@aos/platform';
import { actionDecider } from '../action.decider.js';
import type { ActionRecord } from '../action/action.state.js';
import { SigningSecrets } from '../action/signing-secrets.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { actionResource } from '../resources/action-resource.js';
import { DefinitionQueries } from '../resources/definitions.queries.js';

export class RotateActionSecret extends CallerCommand<{ action_name: string }, Schema<'RotateSecretResult'>> {}

@CommandHandler(RotateActionSecret)
export class RotateActionSecretHandler implements ICommandHandler<RotateActionSecret> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly queries: DefinitionQueries,
    private readonly signing: SigningSecrets,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { action_name: name } }: RotateActionSecret) {
    const { id } = await this.queries.visible(actionResource, who, name);
    const { secret, seal } = this.signing.made(who.orgId, id);
    const nowMs = this.clock.now();
    const sealedAnew = (action: ActionRecord) => this.signing.renewed(action);
    const command = { who, at: rfc3339(nowMs), nowMs, seal, sealedAnew };
    const { record } = await this.writer.decide(actionDecider.rotateSecret, who, id, command);
    return { secret_version: record.wire.signing?.version ?? 1, signing_secret: secret };
  }
}
