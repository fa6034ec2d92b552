import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { upcast, type JsonObject } from '@aos/kernel';
import { foldFrozen } from '@aos/kernel/testing';
import { sessionKeyEvents, sessionKeyKind, type SessionKeyEvent } from './session-key.state.js';
import { freeSessionKey } from './session-keys.decide.js';

const folder = join(__dirname, 'golden');
const golden = readdirSync(folder).map(
  (file) =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as { type: string; schema_version: number; data: JsonObject },
);

it('every event of a session key has a recorded example that still means what it meant', () => {
  expect(golden.map(({ type }) => type)).toEqual(Object.keys(sessionKeyEvents));
  const state = foldFrozen(
    sessionKeyKind,
    golden.map(
      ({ type, schema_version: version, data }) => upcast(sessionKeyEvents, type, data, version) as SessionKeyEvent,
    ),
  );
  expect(state).toEqual({ generation: 2 });
  expect(freeSessionKey({ generation: 2, session_id: 'ses_other' }, state)).toEqual([]);
});
