import { Injectable } from '@nestjs/common';
import type { Identity, JsonObject } from '@aos/kernel';
import { RowReader } from '../row/row-reader.js';
import { TableDirectory } from '../table/table-directory.js';

@Injectable()
export class TableQueries {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: RowReader,
  ) {}

  async stats(who: Identity, tableId: string): Promise<JsonObject> {
    return this.rows.stats(await this.tables.visible(who, tableId));
  }
}
