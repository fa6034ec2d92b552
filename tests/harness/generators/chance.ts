import { scriptedModel } from '../service.js';
import type { ApiOperation } from './operations.js';
import type { GeneratedRequest } from './exchange.js';
import type { Place } from './place.js';
import { requestTo, schemaOf } from './recipes.js';
import { type Draw, valueOf } from './values.js';

/** Numbers from a seed: the same requests again for the same seed. */
export class Chance {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  of<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('nothing to choose from');
    return value;
  }

  is(share: number): boolean {
    return this.next() < share;
  }
}

const texts = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '%2F',
  ';x',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '\u0000',
  'a\r\nb: c',
  '\ud800',
  '\u202e\u0007',
  '💥'.repeat(20),
  'é'.repeat(300),
  '${7*7}',
  '{{x}}',
  'a'.repeat(5000),
  '*',
  '.',
  '..',
  '2026-13-45T99:99:99Z',
  '9'.repeat(40),
  '1e400',
  'true',
  'svc:reserved',
  '$eq',
  '\\',
];
const numbers = [0, 1, -1, 1.5, 255, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 120, 86_400];
const wrong: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'x',
  [],
  {},
  [[]],
  [null],
  { a: { b: [] } },
  { $ne: null },
  { $ref: '#' },
  '\u0000',
];
const deepest = 70;

/** Addresses cannot carry half of a pair. */
const paired = (text: string): string => Buffer.from(text).toString();

export interface Names {
  own: Record<string, unknown>;
  others: Record<string, unknown>;
}

/** Chooses by chance; strings bear the organization's mark now and then. */
export function byChance(chance: Chance, mark: string, names: Names): Draw {
  return {
    member: (_name, depth) => chance.is(depth === 0 ? 0.35 : 0.25),
    branch: (count) => chance.below(Math.max(1, count)),
    items: (min, max) => Math.min(Math.max(min, chance.below(4)), Math.max(min, max)),
    whole: (min, max) => (chance.is(0.2) ? chance.of(numbers) : Math.min(max, min + chance.below(20))),
    text: (_name, max) =>
      chance.is(0.3)
        ? chance.of(texts).slice(0, chance.is(0.1) ? undefined : max)
        : `${mark} ${chance.below(1e9).toString(36)}`.slice(0, max),
    known: (name) => {
      if (chance.is(0.15)) return null;
      return (chance.is(0.1) ? names.others : names.own)[name] ?? null;
    },
    anything: () =>
      chance.of<unknown>([
        {},
        { note: mark },
        { sku: `${mark}${chance.below(1e6)}` },
        { sku: chance.of(texts), note: chance.of(wrong) },
        chance.of(wrong),
        { type: 'object' },
        { type: 'text', text: mark },
      ]),
  };
}

/** What members that name something are filled with. */
export async function namesOf(place: Place): Promise<Record<string, unknown>> {
  const agentId = await place.agentId();
  const session = await place.target('getSession', place.nobody);
  const { role_id: roleId } = await place.target('getRole', place.nobody);
  const { skill_id: skillId } = await place.target('getSkill', place.nobody);
  const principalId = await place.principalId();
  const answerer = await place.answerer();
  return {
    agent_id: agentId,
    ...session,
    role_id: roleId,
    scope_role_id: roleId,
    role_ids: [roleId],
    skill_id: skillId,
    skill_ids: [skillId],
    principal_id: principalId,
    owner_id: answerer.id,
    user_id: answerer.id,
    target_user_ids: [answerer.id],
    reviewer_user_ids: [answerer.id],
    members: [answerer.id],
    principal_ids: [principalId],
    permissions: ['svc.resource.view'],
    visibility: 'organization',
    model: scriptedModel,
    model_override: scriptedModel,
    summary_model: scriptedModel,
    agent_ref: { id: agentId },
    event_type: 'crm.event',
    role_name: 'Viewer',
    file: 'text',
  };
}

type Spoil = (chance: Chance, request: GeneratedRequest, others: GeneratedRequest) => GeneratedRequest;

const mutable = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...(body as Record<string, unknown>) } : {};

function spoiltMember(chance: Chance, request: GeneratedRequest, value: unknown): GeneratedRequest {
  const body = mutable(request.body);
  const members = Object.keys(body);
  if (members.length > 0) body[chance.of(members)] = value;
  return { ...request, body };
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Ways to break a request; most leave it whole. */
const spoils: readonly Spoil[] = [
  (chance, request) => spoiltMember(chance, request, chance.of(wrong)),
  (chance, request) => spoiltMember(chance, request, deep(chance.of([5, 30, deepest]))),
  (chance, request) => spoiltMember(chance, request, chance.of(texts)),
  (chance, request) => ({
    ...request,
    body: {
      ...mutable(request.body),
      [chance.of(['id', 'org_id', 'created_by', 'protected', 'unknown', 'constructor', ''])]: chance.of(wrong),
    },
  }),
  (_chance, request) => ({
    ...request,
    body: JSON.parse(`{"__proto__": {"isAdmin": true}, "x": ${JSON.stringify(request.body ?? null)}}`) as unknown,
  }),
  (chance, request) => ({ ...request, body: chance.of(wrong) }),
  (_chance, request) => ({ ...request, body: undefined }),
  (_chance, request, others) => ({ ...request, params: others.params }),
  (chance, request) => ({
    ...request,
    params: Object.fromEntries(
      Object.entries(request.params).map(([name, value]) => [
        name,
        chance.is(0.5) ? value : (paired(chance.of(texts)).slice(0, 400) || 'x').replace(/^\.+$/, 'dots'),
      ]),
    ),
  }),
  (chance, request) => ({
    ...request,
    query: Object.fromEntries(
      request.operation.query.map(({ name }) => [name, paired(chance.of(texts)).slice(0, 500)]),
    ),
  }),
  (chance, request) => ({
    ...request,
    query: {
      ...request.query,
      [chance.of(['unknown', 'limit', 'cursor', 'order', 'api_key'])]: chance.of([
        '0',
        '101',
        '-1',
        'x',
        'desc',
        '1e9',
        '',
      ]),
    },
  }),
  (chance, request) => ({
    ...request,
    headers: {
      'content-type': chance.of([
        'text/plain',
        'application/xml',
        'application/json\ta',
        'application/json; charset=utf-8',
        'multipart/form-data',
      ]),
    },
  }),
  (chance, request) => ({
    ...request,
    headers: {
      'idempotency-key': chance.of(['', 'x', 'k'.repeat(300)]),
      'last-event-id': chance.of(['1', 'x', '-1', '9'.repeat(30)]),
      'x-http-method-override': 'DELETE',
    },
  }),
];

/**
 * A request to the operation by chance: whole in four of ten cases, in the others spoilt once or twice. `mark` is in
 * much of what it says.
 */
export async function chanceRequest(
  chance: Chance,
  operation: ApiOperation,
  own: Place,
  others: Place,
  mark: string,
  names: Names,
): Promise<GeneratedRequest> {
  const maker = operation.path.includes('/interactions') ? await own.ownerPerson() : own.nobody;
  const base = await requestTo(operation, own, maker, operation.pathParameters.length > 0 && chance.is(0.2));
  const draw = byChance(chance, mark, names);
  const schema = schemaOf(operation);
  const drawn = schema ? valueOf(schema, draw) : undefined;
  const body =
    schema === null
      ? undefined
      : chance.is(0.5) && typeof drawn === 'object'
        ? { ...drawn, ...mutable(base.body) }
        : drawn;
  const query = Object.fromEntries(
    operation.query
      .filter(({ required }) => required || chance.is(0.25))
      .map(({ name, schema: of }) => [name, paired(String(valueOf(of, draw, name, 1)))]),
  );
  let request: GeneratedRequest = {
    ...base,
    query: { ...base.query, ...query },
    ...(body === undefined ? {} : { body }),
  };
  if (chance.is(0.4)) return request;
  const theirs = { ...base, params: await others.target(operation.id, others.nobody) };
  for (let times = chance.is(0.3) ? 2 : 1; times > 0; times -= 1) request = chance.of(spoils)(chance, request, theirs);
  return request;
}
