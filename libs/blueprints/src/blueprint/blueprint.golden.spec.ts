import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { upcast, type JsonObject } from '@aos/kernel';
import { expectGoldenStates, foldFrozen, goldenEvents } from '@aos/kernel/testing';
import type { BlueprintEvent } from './blueprint.events.js';
import { blueprintKind, blueprintStreamId, entryId } from './blueprint.state.js';

const golden = join(__dirname, 'golden');

/** An event as it was once written: one file for each type and version. */
function recorded(type: string): BlueprintEvent {
  const file = JSON.parse(readFileSync(join(golden, `${type}.v1.json`), 'utf8')) as {
    data: JsonObject;
    schema_version: number;
  };
  return upcast(blueprintKind.events, type, file.data, file.schema_version) as BlueprintEvent;
}

describe('recorded blueprint events', () => {
  it('are all kept', () => {
    const kept = Object.entries(blueprintKind.events).flatMap(([type, { version }]) =>
      Array.from({ length: version }, (_, older) => `${type}.v${older + 1}.json`),
    );
    expect(goldenEvents(__dirname).map(({ file }) => file)).toEqual(kept.sort());
  });

  it('fold to a change that is under way, and to none', () => {
    const going = foldFrozen(blueprintKind, ['ChangeBegun', 'ChangeProlonged', 'EntriesIntended'].map(recorded));
    const entry = {
      resource_type: 'agent' as const,
      key: 'writer',
      resource_id: 'agent_00000000000000000000000004',
      name: 'Writer',
      generation: 0,
    };
    expect(going).toEqual({
      change: {
        change_id: '00000000000000000000000002',
        process: '00000000000000000000000003',
        until: '2026-01-01T00:00:10.000Z',
      },
      entries: new Map([[entryId('agent', 'writer'), entry]]),
    });
    expect(foldFrozen(blueprintKind, ['ChangeBegun', 'EntriesIntended', 'ChangeEnded'].map(recorded))).toMatchObject({
      change: null,
    });
  });

  it('fold to the states that snapshots of this version hold', () => {
    const history = ['ChangeBegun', 'ChangeProlonged', 'EntriesIntended', 'ChangeEnded'];
    expectGoldenStates(
      __dirname,
      blueprintKind,
      history.map((type) => [recorded(type)]),
    );
  });

  it('live in streams of their own, named the same for ever', () => {
    const orgId = 'org_00000000000000000000000001';
    const identities = [
      { namespace: null, blueprintKey: null },
      { namespace: 'a', blueprintKey: null },
      { namespace: null, blueprintKey: 'a' },
      { namespace: 'a', blueprintKey: 'a' },
    ];
    expect(identities.map((identity) => blueprintStreamId(orgId, identity))).toMatchInlineSnapshot(`
     [
       "w8qz2fa9npde5a5rmwzfwjpaq2",
       "2wdqffa61q6z4084837y75rzfm",
       "ccfpw433j2kdwktj6kr0eyh72e",
       "3asbhaybct4q4zwgvk59yfb9ep",
     ]
    `);
  });
});
