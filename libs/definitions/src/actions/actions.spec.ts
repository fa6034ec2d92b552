import { Egress, type EgressResponse } from '@aos/kernel';
import { KeyRing, Sealer } from '@aos/platform';
import { ActionDirectory } from '../action/action-directory.js';
import { actionsProjection } from '../action/action.projection.js';
import type { ActionEvent } from '../action/action.events.js';
import { actionKind, type NewAction } from '../action/action.state.js';
import { SchemaChecker } from '../schemas/schema-checker.js';
import { backend, definitionsProcess, expectContract, newWorld, orgId } from '../testing/definitions.fixture.js';
import { ActionChecks } from './action-checks.js';
import { ChangeAction, ChangeActionHandler, CreateAction, CreateActionHandler, DeleteAction, DeleteActionHandler, RotateActionSecret, RotateActionSecretHandler } from './actions.handlers.js';

/** Nothing leaves; addresses with `blocked` in them are refused. */
class NoEgress extends Egress {
  override send(): Promise<EgressResponse> {
    return Promise.reject(new Error('nothing leaves this test'));
  }

  override refusal(url: string): string | null {
    return url.includes('blocked') ? 'blocked' : null;
  }
}

const checker = new SchemaChecker();
afterAll(() => checker.onApplicationShutdown());

function start() {
  const world = newWorld();
  const service = definitionsProcess(world);
  const { clock, ids } = world;
  service.projections.register(actionsProjection as never);
  const sealer = new Sealer(new KeyRing([{ keyId: 'k1', secret: Buffer.alloc(32, 9) }]));
  const directory = new ActionDirectory(service.streams, service.claims, service.lists, service.catalog, sealer, checker, clock);
  directory.onModuleInit();
  const checks = new ActionChecks(new NoEgress(), checker);
  const create = new CreateActionHandler(service.writer, checks, service.people, sealer, clock, ids);
  const change = new ChangeActionHandler(service.writer, directory, checks, clock);
  const rotate = new RotateActionSecretHandler(service.writer, directory, sealer, clock, ids);
  const remove = new DeleteActionHandler(service.writer, directory, clock);
  return {
    world, service, directory, clock,
    create: (body: Partial<NewAction> = {}) => create.execute(new CreateAction(backend, { name: 'crm.send', endpoint_url: 'https://hooks.example.com', ...body })),
    change: (body: object) => change.execute(new ChangeAction(backend, 'crm.send', body)),
    rotate: () => rotate.execute(new RotateActionSecret(backend, 'crm.send')),
    remove: () => remove.execute(new DeleteAction(backend, 'crm.send')),
  };
}

describe('actions', () => {
  it('S32: keep their secrets sealed, and open them for dispatch; the one before for 72 hours', async () => {
    const { create, rotate, directory, world, clock } = start();
    const made = await create();
    expectContract('Action', made);
    const first = String(made.signing_secret);
    expect(await directory.dispatched(orgId, 'crm.send')).toMatchObject({ signing: { version: 1, secret: first }, previous: null });
    const second = String((await rotate()).signing_secret);
    expect(await directory.dispatched(orgId, 'crm.send')).toMatchObject({ signing: { version: 2, secret: second }, previous: { version: 1, secret: first } });
    clock.advance(72 * 3600 * 1000);
    expect((await directory.dispatched(orgId, 'crm.send'))?.previous).toBeNull();
    const log = JSON.stringify(await world.store.read(`action-${String(made.id)}`, { limit: 10 }));
    for (const secret of [first, second]) expect(log).not.toContain(secret.slice('whsec_'.length));
    let rows = '';
    for await (const row of world.readStore.dump('actions@1')) rows += JSON.stringify(row);
    expect(rows).toContain('crm.send');
    expect(rows).not.toContain('whsec_');
  });

  it('check inputs and outputs by their schemas', async () => {
    const { create, directory } = start();
    await create({ input_schema: { type: 'object', required: ['to'] } });
    const record = await directory.record(orgId, 'crm.send');
    if (!record) throw new Error('no action');
    expect(await directory.inputFault(record, {})).not.toBeNull();
    expect(await directory.inputFault(record, { to: 'x' })).toBeNull();
    expect(await directory.outputFault(record, 'anything')).toBeNull();
  });

  it('are in the catalog until they are deleted', async () => {
    const { create, remove, service } = start();
    await create({ annotations: { read_only: true } });
    const [entry] = await service.catalog.actions(orgId);
    expectContract('ActionCatalogEntry', JSON.parse(JSON.stringify({ ...entry, posture: 'team' })));
    expect(entry).toMatchObject({ name: 'crm.send', risk: 'low', execution: { default_location: 'managed' } });
    await remove();
    expect(await service.catalog.actions(orgId)).toEqual([]);
    expect(await service.catalog.action(orgId, 'crm.send')).toBeNull();
  });

  it('B23: protection refuses changes and deletes, not a new secret', async () => {
    const { create, change, rotate, remove, service, world } = start();
    const made = await create();
    await service.writer.change(actionKind, backend, String(made.id), (record): ActionEvent[] => [{ type: 'ProtectionSet', data: { record: { ...record, protected: true, version: record.version + 1 } } }]);
    await expect(change({ title: 'x' })).rejects.toMatchObject({ code: 'blueprint_resource_protected' });
    await expect(remove()).rejects.toMatchObject({ code: 'blueprint_resource_protected' });
    expect((await rotate()).secret_version).toBe(2);
    expect(world.clock.now()).toBeGreaterThan(0);
  });

  it('that change nothing write nothing', async () => {
    const { create, change, world } = start();
    const made = await create({ title: 'Send' });
    await change({ title: 'Send' });
    await expect(change({ endpoint_url: 'https://blocked.example' })).rejects.toMatchObject({ code: 'invalid_argument', details: { argument: 'endpoint_url' } });
    expect(await world.store.read(`action-${String(made.id)}`, { limit: 10 })).toHaveLength(1);
  });
});
