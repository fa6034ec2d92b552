import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import { Clock, Ids, rfc3339 } from '@aos/kernel';
import { CallerCommand } from '@aos/platform';
import { DefinitionWriter } from '../names/definition-writer.js';
import { People } from '../definition/people.js';
import { TableDirectory } from '../table/table-directory.js';
import { tableWire } from '../table/table.projection.js';
import { tableKind } from '../table/table.state.js';
import { tableDecider } from '../table.decider.js';
import { createTable } from '../table/table.decide.js';

export class CreateTable extends CallerCommand<{ body: RequestBody<'createTable'> }, Schema<'Table'>> {}

export class ChangeTable extends CallerCommand<
  { table_id: string; body: RequestBody<'updateTable'> },
  Schema<'Table'>
> {}

export class DeleteTable extends CallerCommand<{ table_id: string }, void> {}

@CommandHandler(CreateTable)
export class CreateTableHandler implements ICommandHandler<CreateTable> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly people: People,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { body } }: CreateTable) {
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

  async execute({ who, input: { table_id: tableId, body } }: ChangeTable) {
    await this.tables.visible(who, tableId);
    const at = rfc3339(this.clock.now());
    const { record } = await this.writer.decide(tableDecider.changeTable, who, tableId, { who, at, body });
    return tableWire(record, who);
  }
}

@CommandHandler(DeleteTable)
export class DeleteTableHandler implements ICommandHandler<DeleteTable> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { table_id: tableId } }: DeleteTable): Promise<void> {
    const at = rfc3339(this.clock.now());
    await this.writer.decide(tableDecider.deleteTable, who, tableId, { who, at });
  }
}
