import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { DefinitionWriter } from '../names/definition-writer.js';
import { People } from '../definition/people.js';
import { TableDirectory } from '../table/table-directory.js';
import { tableWire } from '../table/table.projection.js';
import { tableKind, type DesiredTable, type NewTable } from '../table/table.state.js';
import { changeTable, createTable, deleteTable } from './tables.decide.js';

export class CreateTable extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly body: NewTable,
  ) {
    super();
  }
}

export class ChangeTable extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
    readonly body: DesiredTable,
  ) {
    super();
  }
}

export class DeleteTable extends Command<void> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateTable)
export class CreateTableHandler implements ICommandHandler<CreateTable> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly people: People,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, body }: CreateTable): Promise<JsonObject> {
    const record = createTable({ who, at: rfc3339(this.clock.now()), id: `tbl_${this.ids.ulid()}`, body });
    await this.people.require(who, body);
    return tableWire((await this.writer.create(tableKind, record, who)).record, who);
  }
}

@CommandHandler(ChangeTable)
export class ChangeTableHandler implements ICommandHandler<ChangeTable> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly tables: TableDirectory,
    private readonly clock: Clock,
  ) {}

  async execute({ who, tableId, body }: ChangeTable): Promise<JsonObject> {
    await this.tables.visible(who, tableId);
    const at = rfc3339(this.clock.now());
    const { record } = await this.writer.change(tableKind, who, tableId, (table) =>
      changeTable({ who, at, body }, table),
    );
    return tableWire(record, who);
  }
}

@CommandHandler(DeleteTable)
export class DeleteTableHandler implements ICommandHandler<DeleteTable> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly clock: Clock,
  ) {}

  async execute({ who, tableId }: DeleteTable): Promise<void> {
    const at = rfc3339(this.clock.now());
    await this.writer.change(tableKind, who, tableId, (table) => deleteTable({ who, at }, table));
  }
}
