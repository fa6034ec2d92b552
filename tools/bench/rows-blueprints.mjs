// Applying a blueprint of 100 resources: the first time, again without a change, again with every resource changed, and
// deleting it.
import { caller, percentiles } from './client.mjs';
import { startService } from './processes.mjs';

const rounds = 20;
const perKind = 25;

/** 25 of each type; each agent has a skill of the same graph. */
function graph(round, text) {
  const each = (make) => Array.from({ length: perKind }, (_, index) => make(index));
  return {
    namespace: 'bench',
    blueprint_key: `round-${round}`,
    resources: {
      tables: each((index) => ({
        key: `t${index}`,
        name: `t_${round}_${index}`,
        description: text,
        schema: {
          identity_column: 'id',
          columns: [
            { name: 'id', type: 'string' },
            { name: 'amount', type: 'number' },
          ],
        },
      })),
      actions: each((index) => ({
        key: `x${index}`,
        name: `acme.r${round}.x${index}`,
        endpoint: 'https://acme.example/x',
        description: text,
        input_schema: { type: 'object' },
      })),
      skills: each((index) => ({ key: `s${index}`, name: `skill ${round} ${index}`, instructions: text })),
      agents: each((index) => ({
        key: `a${index}`,
        name: `agent ${round} ${index}`,
        system_prompt: text,
        skills: [{ key: `s${index}` }],
      })),
    },
  };
}

export async function apply(report) {
  const server = await startService();
  const client = caller(server, 1);
  const times = { first: [], again: [], changed: [], preview: [], deleted: [] };
  const measured = async (name, work, expected) => {
    const began = performance.now();
    const result = await work();
    times[name].push(performance.now() - began);
    const wrong = result.changes?.find(({ action }) => action !== expected);
    if (wrong) throw new Error(`${name}: ${JSON.stringify(wrong)}`);
  };
  const applied = (body) => client.post('/v1/blueprints/apply', body);
  for (let round = -5; round < rounds; round += 1) {
    if (round === 0) for (const name of Object.keys(times)) times[name] = [];
    const place = round + 5;
    await measured('preview', () => applied({ ...graph(place, 'one'), mode: 'preview' }), 'created');
    await measured('first', () => applied(graph(place, 'one')), 'created');
    await measured('again', () => applied(graph(place, 'one')), 'unchanged');
    await measured('changed', () => applied(graph(place, 'two')), 'updated');
    if (place % 2 === 0)
      await measured(
        'deleted',
        async () => JSON.parse(await client.send('DELETE', `/v1/blueprints/round-${place}?namespace=bench`)),
        '',
      );
  }
  await client.close();
  await server.stop();
  const said = {
    preview: 'preview of 100 new resources',
    first: 'apply of 100 new resources',
    again: 'apply again, nothing changed',
    changed: 'apply again, all 100 changed',
    deleted: 'delete of 100 resources',
  };
  const aims = { first: '<= 200', again: '<= 50' };
  for (const [name, list] of Object.entries(times)) {
    const { p50, p99 } = percentiles(list);
    report('apply', `${said[name]}: p50 / p99, ms`, {
      ours: p50,
      other: p99,
      ...(aims[name] ? { aim: aims[name] } : {}),
    });
  }
}
