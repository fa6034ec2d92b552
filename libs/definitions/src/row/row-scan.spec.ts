import type { CollectionPage } from '@aos/kernel';
import type { RowDoc } from './row.projection.js';
import { scan, type ScanPage } from './row-scan.js';

const at = '2026-01-01T00:00:00.000Z';
const row: RowDoc = {
  id: 'row_1',
  org_id: 'org_1',
  table_id: 'tbl_1',
  identity: 'a',
  data: {},
  index: {},
  version: 1,
  created_by: 'svc_1',
  created_at: at,
  updated_by: 'svc_1',
  updated_at: at,
};

/** How many rows each read asks for, of a hundred thousand that are so large, and how often others had their turn. */
async function readsOf(characters: number, reads: number): Promise<{ limits: number[]; turns: number }> {
  const data = { text: 'x'.repeat(characters) };
  const limits: number[] = [];
  let turns = 0;
  const read = async ({ limit }: ScanPage): Promise<CollectionPage<RowDoc>> => {
    limits.push(limit);
    setImmediate(() => {
      turns += 1;
    });
    const rows = Array.from({ length: limit }, () => ({ key: 'row', revision: 0, doc: { ...row, data } }));
    return { rows, next: { value: 'v', key: 'row' } };
  };
  for await (const { rows } of scan(read, { first: 50, most: 1000, after: null }))
    if (rows.length > 0 && limits.length === reads) break;
  return { limits, turns };
}

describe('a scan of rows', () => {
  it('reads more at once where rows are small, and few where they are large', async () => {
    expect((await readsOf(100, 5)).limits).toEqual([50, 200, 800, 1000, 1000]);
    const { limits } = await readsOf(200_000, 4);
    expect(limits).toEqual([50, 20, 20, 20]);
    expect((await readsOf(10 * 1024 * 1024, 3)).limits).toEqual([50, 1, 1]);
  });

  it('lets others have their turn between two reads', async () => {
    expect((await readsOf(100, 5)).turns).toBe(4);
  });
});
