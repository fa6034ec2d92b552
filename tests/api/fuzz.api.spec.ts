import { randomBytes, randomInt } from 'node:crypto';
import fc from 'fast-check';
import { Client, anotherOwner, callerWith, issueKey } from '../harness/index.js';
import {
  type ApiOperation,
  type Caller,
  Chance,
  type Exchanged,
  type GeneratedRequest,
  type Names,
  Place,
  chanceRequest,
  exchange,
  namesOf,
  pathOf,
  servedOperations,
} from '../harness/generators/index.js';

/** In CI; a long run says how many. */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 2_000);
const firstSeed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));
const batch = 40;
const streamMs = 50;
/** Targets are made anew after so many batches: requests delete what they find. */
const batchesPerPlace = 10;
/** It ends when so many kinds of fault were found. */
const foundMax = 25;
/** Searches by meaning need a provider that the service under test does not have (rule R34). */
const mayLackAProvider = ['searchTableRows', 'listAgentMemoryEntries'];

/**
 * A body that an operation does not declare is read like any other before it is left alone: its own faults come first.
 */
const aBodyWhereNoneIs = /^(400|413|415) is not declared/;

interface Side {
  mark: string;
  owner: Client;
  place: Place;
  names: Record<string, unknown>;
  callers: Caller[];
}
interface Step {
  operation: number;
  caller: number;
  seed: number;
}

let served: ApiOperation[] = [];
let sides: [Side, Side];
let strangers: Caller[] = [];
const found = new Map<string, string>();
const statuses = new Map<string, number>();
const succeeded = new Set<string>();

async function side(owner: Client): Promise<Side> {
  const mark = `mark${randomBytes(6).toString('hex')}`;
  const place = new Place(owner);
  const callers: Caller[] = [{ name: 'Owner', client: owner, principalId: '' }];
  for (const role of ['Admin', 'User', 'Viewer'] as const)
    callers.push({ name: role, client: await callerWith(owner, role), principalId: '' });
  return { mark, owner, place, names: await namesOf(place), callers };
}

async function renewed(one: Side): Promise<void> {
  await one.place.close();
  one.place = new Place(one.owner);
  one.names = await namesOf(one.place);
}

beforeAll(async () => {
  const owner = Client.owner();
  served = await servedOperations(owner);
  sides = [await side(owner), await side(anotherOwner('Fuzzed'))];
  const revoked = await issueKey(owner, 'Owner');
  await owner.delete(`/v1/api-keys/${revoked.id}`);
  strangers = [
    ['no key', null],
    ['malformed key', 'x'],
    ['its id in place of a key', revoked.id],
  ].map(([name, key]) => ({ name: name ?? '', client: owner.as(key ?? null), principalId: '' }));
});

afterAll(async () => {
  for (const { place } of sides) await place.close();
  process.stderr.write(
    `said: ${requests} requests, seed ${firstSeed}: ${[...statuses]
      .sort()
      .map(([status, count]) => `${status} x ${count}`)
      .join(', ')}; ${succeeded.size} of ${served.length} operations succeeded\n`,
  );
});

const lacks: Record<string, readonly string[]> = {
  Viewer: [
    'svc.resource.use',
    'svc.resource.build',
    'svc.org.admin',
    'svc.job.execute',
    'svc.billing.view',
    'actions.execute.<provider>.<action>',
  ],
  User: ['svc.org.admin', 'svc.job.execute', 'svc.billing.view'],
  Admin: ['svc.job.execute'],
  Owner: [],
};

/** What is wrong with an answer, if anything. */
function wrong(
  { operation }: GeneratedRequest,
  caller: Caller,
  isStranger: boolean,
  got: Exchanged,
  foreignMark: string,
): string | null {
  const faults = got.faults.filter((fault) => operation.bodySchema !== null || !aBodyWhereNoneIs.test(fault));
  if (faults.length > 0) return faults.join('; ');
  const lacksProvider = got.status === 503 && mayLackAProvider.includes(operation.id);
  if (got.status >= 500 && !lacksProvider) return `status ${got.status}`;
  if (got.bytes.includes(foreignMark)) return 'it holds what another organization wrote';
  const isDone = got.status < 300 || got.status === 101;
  if (operation.permission === null) return null;
  if (isStranger) return [401, 429].includes(got.status) ? null : `a stranger got ${got.status}`;
  if (isDone && lacks[caller.name]?.includes(operation.permission))
    return `${caller.name} lacks ${operation.permission}`;
  if (isDone) succeeded.add(operation.id);
  return null;
}

async function take({ operation: index, caller: who, seed }: Step): Promise<string | null> {
  const operation = served[index % served.length];
  if (!operation) throw new Error('nothing is served');
  const chance = new Chance(seed);
  const [own, others] = chance.is(0.5) ? [sides[0], sides[1]] : [sides[1], sides[0]];
  const isStranger = who % 12 === 0;
  const caller = isStranger
    ? chance.of(strangers)
    : chance.of([...own.callers, ...Array<Caller>(4).fill(own.callers[0] as Caller)]);
  const names: Names = { own: own.names, others: others.names };
  const request = await chanceRequest(chance, operation, own.place, others.place, own.mark, names);
  const got = await exchange(caller.client, request, streamMs);
  statuses.set(String(got.status), (statuses.get(String(got.status)) ?? 0) + 1);
  const fault = wrong(request, caller, isStranger, got, others.mark);
  return fault === null
    ? null
    : `${fault}\n${caller.name}: ${operation.method} ${pathOf(request)} ${JSON.stringify(request.query)} ${JSON.stringify(request.headers ?? {})}\n${JSON.stringify(request.body)?.slice(0, 1500) ?? ''}\n${got.bytes.slice(0, 1500)}`;
}

describe('fuzzing from the contract, two organizations', () => {
  it(
    'no fault of the service, no answer out of contract, no ignored credential, nothing of another organization',
    async () => {
      let batches = 0;
      const step = fc.record({ operation: fc.nat({ max: 100_000 }), caller: fc.nat({ max: 1_000 }), seed: fc.nat() });
      await fc
        .assert(
          fc.asyncProperty(fc.array(step, { minLength: batch, maxLength: batch }), async (steps) => {
            batches += 1;
            if (batches % batchesPerPlace === 0) for (const one of sides) await renewed(one);
            await Promise.all(
              steps.map(async (one) => {
                const fault = await take(one).catch((error: unknown) => String(error));
                if (fault !== null)
                  found.set(`${served[one.operation % served.length]?.id ?? ''} ${fault.slice(0, 60)}`, fault);
              }),
            );
            return found.size < foundMax;
          }),
          { numRuns: Math.ceil(requests / batch), seed: firstSeed, endOnFailure: true, verbose: 0 },
        )
        .catch((error: unknown) => {
          if (found.size === 0) throw error;
        });
      expect([...found].map(([at, fault]) => `${at}\n${fault}`)).toEqual([]);
      expect(succeeded.size).toBeGreaterThan(served.length * 0.6);
    },
    requests * 60 + 60_000,
  );
});
