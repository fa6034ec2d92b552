import { Refusal } from '@aos/kernel';
import { CursorSeal, KeyRing } from '../keys/index.js';
import { listScope, pageOf, positionOf } from './paging.js';

const seal = new CursorSeal(new KeyRing([{ keyId: 'k', secret: Buffer.alloc(32, 3) }]));
const how = (scope: ReturnType<typeof listScope>) => ({
  seal,
  scope,
  position: (row: number) => String(row),
  item: (row: number) => ({ row }),
});

describe('pages', () => {
  it('lead from one to the next and stop', () => {
    const scope = listScope('org_1', 'agents', { limit: 2, name: 'x' });
    const first = pageOf([1, 2, 3], 2, how(scope));
    expect(first).toMatchObject({ items: [{ row: 1 }, { row: 2 }], has_more: true });
    expect(
      positionOf(
        seal,
        listScope('org_1', 'agents', { name: 'x', cursor: 'c', limit: 9 }),
        first.next_cursor ?? undefined,
      ),
    ).toBe('2');
    expect(() => positionOf(seal, listScope('org_1', 'agents', { name: 'y' }), first.next_cursor ?? undefined)).toThrow(
      Refusal,
    );
    expect(pageOf([3], 2, how(scope))).toEqual({ items: [{ row: 3 }], has_more: false });
    expect(pageOf([], 2, how(scope))).toEqual({ items: [], has_more: false });
    expect(positionOf(seal, scope, undefined)).toBeNull();
  });
});
