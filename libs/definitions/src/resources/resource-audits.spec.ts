import type { JsonObject, RecordedEvent } from '@aos/kernel';
import { resourceAudits } from './resource-audits.js';

const record: JsonObject = {
  id: 'tbl_1',
  org_id: 'org_1',
  type: 'table',
  version: 3,
  protected: false,
  deleted_at: '2026-01-01T00:00:00.000Z',
  wire: { name: 'leads' },
};
const recorded = (type: string) =>
  ({ stream: 'table-tbl_1', type, data: { record }, meta: { schema_version: '1' } }) as unknown as RecordedEvent;

describe('what auditors are told of definitions', () => {
  const tables = resourceAudits.find(({ prefix }) => prefix === 'table-');

  it('a deletion once: that its rows are gone too is no deed of anybody', () => {
    expect(tables?.facts(recorded('TableDeleted'), null)).toMatchObject([
      { action: 'table.deleted', resource: { type: 'table', id: 'tbl_1', name: 'leads' } },
    ]);
    expect(tables?.facts(recorded('TableEmptied'), null)).toEqual([]);
  });
});
