import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { upcast, type AnyEvent, type JsonObject, type StreamKind } from '@aos/kernel';
import { foldFrozen } from '@aos/kernel/testing';
import { apiKeyKind } from './apikey/apikey.state.js';
import { nameKind } from './names/name.state.js';
import { organizationKind } from './organization/organization.state.js';
import { principalKind } from './principal/principal.state.js';
import { roleKind } from './role/role.state.js';
import { tokenKind } from './token/token.state.js';

interface Golden {
  type: string;
  schema_version: number;
  data: JsonObject;
}

/** What older versions of this code wrote must fold for ever; the states are what the events were written to say. */
const streams: [string, StreamKind<unknown, AnyEvent>, string[], unknown][] = [
  [
    'apikey',
    apiKeyKind as never,
    ['KeyIssued', 'KeyRevoked'],
    { key: { name: 'ci', tags: { team: 'a' } }, revoked: true },
  ],
  ['token', tokenKind as never, ['TokenIssued'], { token: { verbs: ['read', 'invoke'], session_ids: null } }],
  [
    'role',
    roleKind as never,
    ['RoleCreated', 'RoleChanged'],
    { role: { name: 'Support', description: 'x' }, deleted: false },
  ],
  [
    'principal',
    principalKind as never,
    ['PrincipalCreated', 'PrincipalChanged', 'PrincipalDisabled'],
    { status: 'disabled', principal: { description: 'e' } },
  ],
  [
    'organization',
    organizationKind as never,
    [
      'OrganizationCreated',
      'ContextReplaced',
      'OwnerEntered',
      'OwnerLeft',
      'FirstKeyShown',
      'PlanChanged',
      'ReturnOriginsReplaced',
    ],
    {
      firstKeyShown: true,
      plan: 'pro',
      context: { content: 'c' },
      owners: new Map(),
      returnOrigins: ['https://app.example.com'],
    },
  ],
  [
    'names',
    nameKind as never,
    ['NameClaimed'],
    { holder: { resourceId: 'role_01jgfjjz00000000000000000b', claimRevision: 0 } },
  ],
];

describe.each(streams)('golden events of %s', (folder, kind, story, state) => {
  const files = readdirSync(join(__dirname, folder, 'golden')).map(
    (file) => JSON.parse(readFileSync(join(__dirname, folder, 'golden', file), 'utf8')) as Golden,
  );
  const lifted = (type: string): AnyEvent => {
    const golden = files.find((file) => file.type === type);
    if (!golden) throw new Error(`no golden event ${type}`);
    return upcast(kind.events, golden.type, golden.data, golden.schema_version);
  };

  it('has one of every type and version', () => {
    const declared = Object.entries(kind.events).flatMap(([type, { version }]) =>
      Array.from({ length: version }, (_, older) => `${type} ${older + 1}`),
    );
    expect(files.map(({ type, schema_version }) => `${type} ${schema_version}`).sort()).toEqual(declared.sort());
  });

  it('folds each', () => {
    for (const { type } of files) expect(() => foldFrozen(kind, [lifted(type)])).not.toThrow();
    expect(foldFrozen(kind, story.map(lifted))).toMatchObject(state as object);
  });
});
