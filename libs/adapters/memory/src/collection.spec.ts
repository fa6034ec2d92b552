import { collection, collectionOf } from '@aos/kernel';
import { MemoryReadStore } from './memory-read-store.js';

interface Note {
  text: string;
  tags: readonly string[];
}

const projection = { name: 'notes', version: 2 };
const notes = collection<Note>(projection);
const scope = ['org_1'];

describe('Collection', () => {
  const store = new MemoryReadStore();
  const note: Note = { text: 'one', tags: ['x'] };

  it('gives the rows that it makes, by key and by query', async () => {
    await store.put([
      notes.row({ scope, key: 'a', revision: 1, doc: note, index: { text: 'one' } }),
      notes.row({ scope, key: 'b', revision: 1, doc: { text: 'two', tags: [] }, index: { text: 'two' } }),
    ]);
    expect(await notes.get(store, scope, 'a')).toEqual({ revision: 1, doc: note });
    expect([...(await notes.getMany(store, scope, ['a', 'c'])).keys()]).toEqual(['a']);
    const { rows, next } = await notes.query(store, { scope, where: [{ index: 'text', eq: 'two' }], limit: 5 });
    expect([rows.map(({ doc: { text } }) => text), next]).toEqual([['two'], null]);
    expect(await notes.count(store, { scope }, 10)).toBe(2);
  });

  it('lies where the projection says, and leaves tombstones', async () => {
    expect(notes.name).toBe(collectionOf(projection));
    expect(await store.get('notes@2', scope, 'a')).toEqual({ revision: 1, doc: note });
    await store.put([notes.row({ scope, key: 'a', revision: 2, doc: null, index: {} })]);
    expect(await notes.get(store, scope, 'a')).toBeNull();
    expect(collection<Note>('notes@3').name).toBe('notes@3');
  });
});
