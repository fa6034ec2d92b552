import {
  type IssuedKey,
  type RawAnswer,
  Client,
  anotherOwner,
  issueKey,
  rawRequest,
  unique,
} from '../harness/index.js';
import {
  type ApiOperation,
  type Caller,
  type Exchanged,
  type GeneratedRequest,
  Place,
  exchange,
  operations,
  pathOf,
  requestTo,
  servedOperations,
} from '../harness/generators/index.js';

/** Answers as an unknown path but for five minutes of a first start. */
const hidden = ['createFirstKey'];
const atOnce = 6;

/** What each preset may do, by rules A14, A19 and A22. */
const execute = 'actions.execute.<provider>.<action>';
/** What every key may. */
const anyKey = 'any';
const permissionsOfPreset = {
  view: { granted: ['svc.resource.view'], may: ['svc.resource.view'] },
  use: { granted: ['svc.resource.use'], may: ['svc.resource.view', 'svc.resource.use'] },
  build: { granted: ['svc.resource.build'], may: ['svc.resource.view', 'svc.resource.build'] },
  admin: {
    granted: ['svc.org.admin', 'svc.billing.view', 'actions.execute.*'],
    may: ['svc.resource.view', 'svc.resource.use', 'svc.resource.build', 'svc.org.admin', 'svc.billing.view', execute],
  },
} as const;
type Preset = keyof typeof permissionsOfPreset;
const presets = Object.keys(permissionsOfPreset) as Preset[];

const api = Client.owner();
const place = new Place(api);
const callers = new Map<string, Caller>();
const people = new Map<string, Caller>();
let stranger: Caller;
let served: ApiOperation[] = [];

/** One software client and one person of each preset: only people are asked and answer. */
async function presetCaller(name: Preset, kind: 'service' | 'human'): Promise<Caller> {
  const role = await api.post<{ id: string }>(
    '/v1/roles',
    { name: unique(name), description: name, permissions: permissionsOfPreset[name].granted },
    201,
  );
  const principal = await api.post<{ id: string }>(
    '/v1/principals',
    { name: unique(name), kind, role_ids: [role.id] },
    201,
  );
  const issued = await api.post<IssuedKey>('/v1/api-keys', { name: unique(name), principal_id: principal.id }, 201);
  return { name, client: api.as(issued.key), principalId: principal.id };
}

beforeAll(async () => {
  served = await servedOperations(api);
  for (const name of presets) {
    callers.set(name, await presetCaller(name, 'service'));
    people.set(name, await presetCaller(name, 'human'));
  }
  stranger = { name: 'owner of another organization', client: anotherOwner(unique('Other')), principalId: '' };
  const revoked = await issueKey(api, 'Owner');
  await api.delete(`/v1/api-keys/${revoked.id}`);
  for (const [name, key] of [
    ['no key', null],
    ['bad key', 'svck_0000000000000000000000000000000000000000'],
    ['revoked key', revoked.key],
  ] as const) {
    callers.set(name, { name, client: api.as(key), principalId: '' });
  }
});

afterAll(() => place.close());

const seen = ({ status, code, text, faults }: Exchanged) =>
  `${status} ${code ?? ''} ${faults.join('; ')} ${status >= 400 ? text.slice(0, 300) : ''}`;
const callerNamed = (name: string): Caller => callers.get(name) ?? stranger;

/** Runs a check for every operation, a few at a time; gives one line for each cell that is not as expected. */
async function cells(
  asked: readonly ApiOperation[],
  wrong: (operation: ApiOperation) => Promise<string | null>,
): Promise<string[]> {
  const waiting = [...asked];
  const faults: string[] = [];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const fault = await wrong(next).catch((error: unknown) => String(error));
      if (fault !== null) faults.push(`${next.id}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return faults;
}

/**
 * The third tier is taken in as it comes, also where no request alone can succeed: then the refusal is the object's
 * own, not the gateway's.
 */
function isOfTheObject({ status, details }: Exchanged, permission: string | null): boolean {
  return status === 403 ? details['permission'] !== permission : [400, 404, 409, 503].includes(status);
}

/** Operations whose target may refuse what the permission allows: the third tier, and accounts, which have owners. */
function isJudgedByObject({ tier, path }: ApiOperation): boolean {
  return tier === 3 || path.startsWith('/v1/connections');
}

/** A token of a call stands in place of a key: none of these callers has one (rule TE81). */
const goesByCall = ({ path }: ApiOperation): boolean => path.startsWith('/v1/deliveries/');
const goesByKey = (operation: ApiOperation): boolean => !goesByCall(operation);
/** Whether it succeeds; what stands for a key may be a text that only a flow has: without one it is 404. */
function isAnswered({ id, success }: ApiOperation, { status }: Exchanged): boolean {
  return success.includes(status) || (id === 'receiveOAuthCallback' && status === 404);
}

let addresses = 0;

/**
 * From many addresses, or behind a proxy that says so: an address has 60 tries with unknown keys in a minute (control
 * S2).
 */
function fromSomewhere({ baseUrl, key }: Client, request: GeneratedRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const isNear = ['localhost', '127.0.0.1'].includes(hostname);
  addresses += 1;
  const address = `127.${(Math.floor(process.pid / 250) % 250) + 1}.${(process.pid % 250) + 1}.${Math.floor(addresses / 40) + 1}`;
  const near = new Client(isNear ? `http://127.0.0.1:${port}` : baseUrl, key);
  return rawRequest(near, request.operation.method, pathOf(request), {
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    ...(isNear ? { from: address } : {}),
  });
}

describe('permission matrix (security, "Permission matrix")', () => {
  it('TE1: covers every operation of the contract, since all are served', () => {
    const ids = new Set(served.map(({ id }) => id));
    expect(operations.filter(({ id }) => !ids.has(id)).map(({ id }) => id)).toEqual(hidden);
  });

  it('every operation names its permission, or needs no credential', () => {
    const open = operations.filter(({ permission }) => permission === null);
    expect(open.map(({ declared }) => declared.security)).toEqual(open.map(() => []));
  });

  it.each(['no key', 'bad key', 'revoked key'])('%s: 401 everywhere, and one answer', async (name) => {
    const bodies = new Set<string>();
    expect(
      await cells(
        served.filter(({ permission }) => permission !== null),
        async (operation) => {
          const request = await requestTo(operation, place, place.nobody);
          const { status, headers, text } = await fromSomewhere(callerNamed(name).client, request);
          bodies.add(text);
          return status === 401 && headers['www-authenticate'] === 'Bearer' ? null : `${status} ${text}`;
        },
      ),
    ).toEqual([]);
    expect([...bodies].map((body) => JSON.parse(body) as unknown)).toEqual([
      { error: { code: 'unauthorized', message: expect.any(String) as string } },
    ]);
  });

  it('what needs no credential answers without one', async () => {
    expect(
      await cells(
        served.filter((operation) => operation.permission === null && goesByKey(operation)),
        async (operation) => {
          const got = await exchange(callerNamed('no key').client, await requestTo(operation, place, place.nobody));
          return isAnswered(operation, got) && got.faults.length === 0 ? null : seen(got);
        },
      ),
    ).toEqual([]);
  });

  it('TE81: what goes by the token of a call is 404 without one, for all', async () => {
    for (const name of ['no key', 'bad key', ...presets])
      expect(
        await cells(served.filter(goesByCall), async (operation) => {
          const got = await exchange(callerNamed(name).client, await requestTo(operation, place, place.nobody));
          return got.status === 404 && got.code === 'not_found' && got.faults.length === 0 ? null : seen(got);
        }),
      ).toEqual([]);
  });

  it.each(presets)('%s: what it may succeeds, what it may not is 403 and names the permission', async (name) => {
    const may: readonly string[] = permissionsOfPreset[name].may;
    expect(
      await cells(served.filter(goesByKey), async (operation) => {
        const { permission } = operation;
        const caller = operation.path.includes('/interactions') ? (people.get(name) ?? stranger) : callerNamed(name);
        const isAllowed = permission === null || permission === anyKey || may.includes(permission);
        const got = await exchange(
          caller.client,
          await requestTo(operation, place, caller, isAllowed && operation.method !== 'GET'),
        );
        if (got.faults.length > 0) return seen(got);
        const named = String(got.details['permission']);
        if (isAllowed)
          return isAnswered(operation, got) || (isJudgedByObject(operation) && isOfTheObject(got, permission))
            ? null
            : seen(got);
        const isNamed = permission === execute ? named.startsWith('actions.execute.custom.') : named === permission;
        return got.status === 403 && got.code === 'permission_denied' && isNamed ? null : seen(got);
      }),
    ).toEqual([]);
  });

  it('an Owner of another organization: 404 for what is named, their own and nothing else in the rest', async () => {
    const ours =
      (await api.get<{ items: { org_id?: string; id: string }[] }>('/v1/agents', { limit: 1 })).items[0]?.id ?? '';
    expect(ours).not.toBe('');
    expect(
      await cells(served.filter(goesByKey), async (operation) => {
        const request = await requestTo(operation, place, place.nobody);
        const got = await exchange(stranger.client, request);
        if (got.faults.length > 0) return seen(got);
        if (got.bytes.includes(ours)) return `it holds ${ours}`;
        const isHidden =
          got.status === 404 ? got.code === 'not_found' : operation.tier === 3 && got.status >= 400 && got.status < 500;
        return namesOurs(request)
          ? isHidden
            ? null
            : seen(got)
          : isAnswered(operation, got) || ((operation.tier === 3 || isOfOwnName(operation)) && isHidden)
            ? null
            : seen(got);
      }),
    ).toEqual([]);
  });
});

/** Names of providers are each organization's own, and the cells of one that makes and deletes them run at once. */
function isOfOwnName({ id }: ApiOperation): boolean {
  return ['saveProvider', 'getProvider', 'deleteProvider'].includes(id);
}

/** Whether the request names something of the first organization, in its path or its body. */
function namesOurs({
  operation,
  params,
  body,
}: {
  operation: ApiOperation;
  params: Record<string, string>;
  body?: unknown;
}): boolean {
  if (operation.permission === null || isOfOwnName(operation)) return false;
  return (
    Object.keys(params).length > 0 ||
    /"(agent|user|role|skill|tbl|svc|conn)_[a-z0-9]{20,}"|@inbox/.test(JSON.stringify(body ?? null))
  );
}
