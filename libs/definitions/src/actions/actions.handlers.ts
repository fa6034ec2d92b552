import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, notFound, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { Sealer } from '@aos/platform';
import { withFreshSeals } from '../action/action-resealing.js';
import { ActionDirectory } from '../action/action-directory.js';
import { customActionWire } from '../action/action.projection.js';
import {
  actionKind,
  secretOwner,
  type ActionRecord,
  type DesiredAction,
  type NewAction,
} from '../action/action.state.js';
import { canSee } from '../definition/custody.decide.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { People } from '../definition/people.js';
import { ActionChecks } from './action-checks.js';
import { changeAction, createAction, deleteAction, rotateSecret } from './actions.decide.js';

const secretBytes = 32;

export class CreateAction extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly body: NewAction,
  ) {
    super();
  }
}

export class ChangeAction extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly name: string,
    readonly body: DesiredAction,
  ) {
    super();
  }
}

export class RotateActionSecret extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly name: string,
  ) {
    super();
  }
}

export class DeleteAction extends Command<void> {
  constructor(
    readonly who: Identity,
    readonly name: string,
  ) {
    super();
  }
}

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

  async execute({ who, body }: CreateAction): Promise<JsonObject> {
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

  async execute({ who, name, body }: ChangeAction): Promise<JsonObject> {
    const { id } = await visibleAction(this.directory, who, name);
    await this.checks.require(who, body);
    const at = rfc3339(this.clock.now());
    const { record } = await this.writer.change(actionKind, who, id, (action) =>
      withFreshSeals(this.sealer, changeAction({ who, at, body }, action)),
    );
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

  async execute({ who, name }: RotateActionSecret): Promise<JsonObject> {
    const { id } = await visibleAction(this.directory, who, name);
    const secret = newSigningSecret(this.ids);
    const nowMs = this.clock.now();
    const seal = (version: number) => this.sealer.seal(secret, secretOwner(who.orgId, id, version));
    const { record } = await this.writer.change(actionKind, who, id, (action) =>
      withFreshSeals(this.sealer, rotateSecret({ who, at: rfc3339(nowMs), nowMs, seal }, action)),
    );
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

  async execute({ who, name }: DeleteAction): Promise<void> {
    const { id } = await visibleAction(this.directory, who, name);
    const at = rfc3339(this.clock.now());
    await this.writer.change(actionKind, who, id, (action) => deleteAction({ who, at }, action));
  }
}
