import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import { Clock, Ids, notFound, rfc3339, type Identity } from '@aos/kernel';
import { CallerCommand, Sealer } from '@aos/platform';
import { actionDecider } from '../action.decider.js';
import { freshlySealed } from '../action/freshly-sealed.js';
import { ActionDirectory } from '../action/action-directory.js';
import { customActionWire } from '../action/action.projection.js';
import { actionKind, secretOwner, type ActionRecord } from '../action/action.state.js';
import { canSee } from '../definition/custody.decide.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { People } from '../definition/people.js';
import { ActionChecks } from '../action/action-checks.js';
import { createAction } from '../action/action.decide.js';

const secretBytes = 32;

export class CreateAction extends CallerCommand<{ body: RequestBody<'createAction'> }, Schema<'Action'>> {}

export class ChangeAction extends CallerCommand<
  { action_name: string; body: RequestBody<'updateAction'> },
  Schema<'Action'>
> {}

export class RotateActionSecret extends CallerCommand<{ action_name: string }, Schema<'RotateSecretResult'>> {}

export class DeleteAction extends CallerCommand<{ action_name: string }, void> {}

/** A new secret in the form that receivers know (rule R25). */
export function newSigningSecret(ids: Ids): string {
  return `whsec_${Buffer.from(ids.randomBytes(secretBytes)).toString('base64url')}`;
}

/** The live action within a caller's reach, or 404. */
export async function visibleAction(directory: ActionDirectory, who: Identity, name: string): Promise<ActionRecord> {
  const record = await directory.record(who.orgId, name);
  if (!record || !canSee(record, who)) throw notFound('action');
  return record;
}

/** The only answer that holds the secret in plain text. */
@CommandHandler(CreateAction)
export class CreateActionHandler implements ICommandHandler<CreateAction> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly checks: ActionChecks,
    private readonly people: People,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { body } }: CreateAction) {
    const id = `act_${this.ids.ulid()}`;
    const secret = (body.endpoint_kind ?? 'http') === 'http' ? newSigningSecret(this.ids) : null;
    const sealed = secret === null ? null : this.sealer.seal(secret, secretOwner(who.orgId, id, 1));
    const record = createAction({ who, at: rfc3339(this.clock.now()), id, body, sealed });
    await this.checks.require(who, body);
    await this.people.require(who, body);
    const made = await this.writer.create(actionKind, record, who);
    const wire = customActionWire(made.record, who);
    if (secret !== null) wire.signing_secret = secret;
    return wire;
  }
}

@CommandHandler(ChangeAction)
export class ChangeActionHandler implements ICommandHandler<ChangeAction> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly directory: ActionDirectory,
    private readonly checks: ActionChecks,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { action_name: name, body } }: ChangeAction) {
    const { id } = await visibleAction(this.directory, who, name);
    await this.checks.require(who, body);
    const at = rfc3339(this.clock.now());
    const sealedAnew = (action: ActionRecord) => freshlySealed(this.sealer, action);
    const { record } = await this.writer.decide(actionDecider.changeAction, who, id, { who, at, body, sealedAnew });
    return customActionWire(record, who);
  }
}

@CommandHandler(RotateActionSecret)
export class RotateActionSecretHandler implements ICommandHandler<RotateActionSecret> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly directory: ActionDirectory,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { action_name: name } }: RotateActionSecret) {
    const { id } = await visibleAction(this.directory, who, name);
    const secret = newSigningSecret(this.ids);
    const nowMs = this.clock.now();
    const seal = (version: number) => this.sealer.seal(secret, secretOwner(who.orgId, id, version));
    const sealedAnew = (action: ActionRecord) => freshlySealed(this.sealer, action);
    const command = { who, at: rfc3339(nowMs), nowMs, seal, sealedAnew };
    const { record } = await this.writer.decide(actionDecider.rotateSecret, who, id, command);
    return { secret_version: record.wire.signing?.version ?? 1, signing_secret: secret };
  }
}

@CommandHandler(DeleteAction)
export class DeleteActionHandler implements ICommandHandler<DeleteAction> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly directory: ActionDirectory,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { action_name: name } }: DeleteAction): Promise<void> {
    const { id } = await visibleAction(this.directory, who, name);
    const at = rfc3339(this.clock.now());
    await this.writer.decide(actionDecider.deleteAction, who, id, { who, at });
  }
}
