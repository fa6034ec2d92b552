import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { upcast, type JsonObject } from '@aos/kernel';
import { foldFrozen } from '@aos/kernel/testing';
import { jobEvents, type JobEvent } from './job.events.js';
import { jobKind, type JobState } from './job.state.js';

interface Golden {
  type: JobEvent['type'];
  schema_version: number;
  data: JsonObject;
}

const folder = join(__dirname, 'golden');
const golden = readdirSync(folder)
  .sort()
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden);

function recorded(type: string): JobEvent {
  const found = golden.find((event) => event.type === type);
  if (!found) throw new Error(`${type} has no golden file`);
  return upcast(jobEvents, found.type, structuredClone(found.data), found.schema_version) as JobEvent;
}

const leased = ['JobRequested', 'JobLeased'];
/** What must have happened before each, and what the state then says. */
const meanings: Record<JobEvent['type'], [string[], (state: JobState) => unknown, unknown]> = {
  JobRequested: [
    [],
    ({ opening, attempts }) => [opening?.action_name, opening?.delivery_id, attempts],
    ['pay', 'dlv_0123456789abcdef0123456789abcdef', 0],
  ],
  JobLeased: [
    ['JobRequested'],
    ({ lease, attempts }) => [lease?.workerId, lease?.expiresAt, attempts],
    ['wrk_1', Date.UTC(2026, 0, 1, 0, 1, 1), 1],
  ],
  JobLeaseRenewed: [leased, ({ lease }) => lease?.expiresAt, Date.UTC(2026, 0, 1, 0, 1, 21)],
  JobGivenBack: [leased, ({ lease, attempts }) => [lease, attempts], [null, 1]],
  JobReported: [leased, ({ ended }) => [ended?.by, ended?.status, ended?.tokenHash], ['report', 'completed', '00ff']],
  JobCancelled: [
    leased,
    ({ ended }) => [ended?.by, ended?.status, ended?.reason],
    ['cancel', 'cancelled', 'turn_over'],
  ],
  JobGivenUp: [
    ['JobRequested'],
    ({ ended }) => [ended?.by, ended?.status, ended?.reason],
    ['giving_up', 'failed', 'worker_unavailable'],
  ],
};

describe('recorded events of jobs', () => {
  it('there is one of each kind and version', () => {
    expect(golden.map(({ type, schema_version: version }) => `${type}.v${version}`).sort()).toEqual(
      Object.entries(jobEvents)
        .map(([type, { version }]) => `${type}.v${version}`)
        .sort(),
    );
  });

  it.each(Object.keys(meanings) as JobEvent['type'][])('%s means what it meant', (type) => {
    const [past, look, meaning] = meanings[type];
    expect(look(foldFrozen(jobKind, [...past, type].map(recorded)))).toEqual(meaning);
  });
});
