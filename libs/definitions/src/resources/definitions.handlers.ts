import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, rfc3339 } from '@aos/kernel';
import { requireCustody, requireUnprotected } from '../definition/custody.decide.js';
import { stampOf } from '../definition/definition.decide.js';
import type { DefinitionRecord } from '../definition/definition.events.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { ChangeDefinition, CreateDefinition, DeleteDefinition } from './definitions.commands.js';
import { DefinitionQueries } from './definitions.queries.js';
import type { ResourceTypes } from './resource-kind.js';
import { ResourceServices } from './resource-services.js';

@CommandHandler(CreateDefinition)
export class CreateDefinitionHandler implements ICommandHandler<CreateDefinition> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly services: ResourceServices,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute<T extends ResourceTypes>({ who, input }: CreateDefinition<T>): Promise<T['wire']> {
    const { resource, body } = input;
    const id = `${resource.prefix}_${this.ids.ulid()}`;
    const made = resource.create({ who, at: rfc3339(this.clock.now()), id, body });
    await resource.checkNew(this.services, who, body);
    const { record: whole, shown } = resource.secrets?.first(this.services, made) ?? { record: made, shown: {} };
    const { record } = await this.writer.create(resource.kind, whole, who);
    return { ...resource.wire(record, who), ...shown };
  }
}

@CommandHandler(ChangeDefinition)
export class ChangeDefinitionHandler implements ICommandHandler<ChangeDefinition> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly queries: DefinitionQueries,
    private readonly services: ResourceServices,
    private readonly clock: Clock,
  ) {}

  async execute<T extends ResourceTypes>({ who, input }: ChangeDefinition<T>): Promise<T['wire']> {
    const { resource, ref, body } = input;
    const known = await this.queries.visible(resource, who, ref);
    await resource.checkChange?.(this.services, who, body, known);
    const sealedAnew = (record: DefinitionRecord<T['definition']>) =>
      resource.secrets?.sealedAnew(this.services, record) ?? record;
    const command = { who, at: rfc3339(this.clock.now()), body, sealedAnew };
    const { record } = await this.writer.decide(resource.change, who, known.id, command);
    return resource.wire(record, who);
  }
}

@CommandHandler(DeleteDefinition)
export class DeleteDefinitionHandler implements ICommandHandler<DeleteDefinition> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly queries: DefinitionQueries,
    private readonly services: ResourceServices,
    private readonly clock: Clock,
  ) {}

  async execute<T extends ResourceTypes>({ who, input: { resource, ref } }: DeleteDefinition<T>): Promise<void> {
    const known = await this.queries.visible(resource, who, ref);
    requireCustody(known, who);
    requireUnprotected(known);
    const { id } = known;
    const command = { who, at: rfc3339(this.clock.now()) };
    // before the delete, so that a repeat after a crash finds what is left; behind it those that came meanwhile
    await resource.removeReferences?.(this.services, who, id, stampOf(command));
    await this.writer.decide(resource.delete, who, id, command);
    await resource.removeReferences?.(this.services, who, id, stampOf(command));
  }
}
