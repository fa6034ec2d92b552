import { ManualClock } from '@aos/kernel/testing';
import {
  RoutedCommands,
  KeyRing,
  RateCharges,
  ResealActionSecrets,
  Sealer,
  operatorIdentity,
  resealCommands,
} from '@aos/platform';
import { ActionDirectory } from '../action/action-directory.js';
import { actionsProjection } from '../action/action.projection.js';
import type { ActionEvent } from '../action/action.events.js';
import { actionKind, type ActionRecord, type NewAction } from '../action/action.state.js';
import { ofLive } from '../definition/live.decide.js';
import { SchemaChecker } from '../schemas/schema-checker.js';
import { backend, definitionsProcess, expectContract, newWorld, orgId } from '../testing/definitions.fixture.js';
import { actionResource } from '../resources/action-resource.js';
import { RotateActionSecret, RotateActionSecretHandler } from './actions.handlers.js';
import { ResealActionSecretsHandler } from './resealing.handlers.js';

const checker = new SchemaChecker(new RateCharges(() => undefined), new ManualClock());
afterAll(() => checker.onApplicationShutdown());

const oldKey = { keyId: 'k1', secret: Buffer.alloc(32, 9) };
const newKey = { keyId: 'k2', secret: Buffer.alloc(32, 7) };

function start(keys = [oldKey], world = newWorld()) {
  const ring = new KeyRing(keys);
  const sealer = new Sealer(ring);
  const service = definitionsProcess(world, { keys: ring, checker });
  const { clock } = world;
  service.projections.register(actionsProjection as never);
  const directory = new ActionDirectory(
    service.streams,
    service.claims,
    service.lists,
    service.catalog,
    sealer,
    checker,
    clock,
  );
  directory.onModuleInit();
  const rotate = new RotateActionSecretHandler(service.writer, service.queries, service.signing, clock);
  const handlers = new RoutedCommands();
  const reseal = new ResealActionSecretsHandler(service.streams, sealer, world.store, clock);
  handlers.register(ResealActionSecrets, (command) => reseal.execute(command as ResealActionSecrets));
  return {
    world,
    service,
    directory,
    clock,
    reseal: async (who = operatorIdentity('r'), after?: string) =>
      handlers.handle({
        name: resealCommands[0],
        payload: after === undefined ? {} : { after },
        identity: who,
        deliveryId: 'd',
      }),
    create: (body: Partial<NewAction> = {}) =>
      service.create(actionResource, backend, { name: 'crm.send', endpoint_url: 'https://hooks.example.com', ...body }),
    change: (body: object) => service.change(actionResource, backend, 'crm.send', body),
    rotate: () => rotate.execute(new RotateActionSecret(backend, { action_name: 'crm.send' })),
    remove: () => service.remove(actionResource, backend, 'crm.send'),
  };
}

describe('actions', () => {
  it('S32: keep their secrets sealed, and open them for dispatch; the one before for 72 hours', async () => {
    const { create, rotate, directory, world, clock } = start();
    const made = await create();
    expectContract('Action', made);
    const first = String(made.signing_secret);
    expect(await directory.dispatched(orgId, 'crm.send')).toMatchObject({
      signing: { version: 1, secret: first },
      previous: null,
    });
    const second = String((await rotate()).signing_secret);
    expect(await directory.dispatched(orgId, 'crm.send')).toMatchObject({
      signing: { version: 2, secret: second },
      previous: { version: 1, secret: first },
    });
    clock.advance(72 * 3600 * 1000);
    expect((await directory.dispatched(orgId, 'crm.send'))?.previous).toBeNull();
    const log = JSON.stringify(await world.store.read(`action-${String(made.id)}`, { limit: 10 }));
    for (const secret of [first, second]) expect(log).not.toContain(secret.slice('whsec_'.length));
    let rows = '';
    for await (const row of world.readStore.dump('actions@1')) rows += JSON.stringify(row);
    expect(rows).toContain('crm.send');
    expect(rows).not.toContain('whsec_');
  });

  it('S32: are sealed anew when they are changed, and when an operator asks for it; then the old key opens nothing that is needed', async () => {
    const { world, create, rotate } = start();
    const [secret, rotated] = [String((await create()).signing_secret), String((await rotate()).signing_secret)];
    const other = String((await create({ name: 'crm.other' })).signing_secret);
    await create({ name: 'crm.gone' });
    const both = start([newKey, oldKey], world);
    await both.change({ title: 'Send' });
    expect(await start([newKey], world).directory.dispatched(orgId, 'crm.send')).toMatchObject({
      signing: { version: 2, secret: rotated },
      previous: { version: 1, secret },
    });
    await expect(both.reseal(backend)).rejects.toMatchObject({ code: 'not_found' });
    expect(await start([newKey], world).reseal()).toMatchObject({ resealed: 0, unreadable: 2 });
    expect(await both.reseal()).toMatchObject({ checked: 3, resealed: 2, unreadable: 0, next: null });
    expect(await both.reseal()).toMatchObject({ checked: 3, resealed: 0, unreadable: 0 });
    const record = await both.directory.record(orgId, 'crm.other');
    expect(record).toMatchObject({ version: 1, wire: { signing: { version: 1 } } });
    expect(await start([newKey], world).directory.dispatched(orgId, 'crm.other')).toMatchObject({
      signing: { version: 1, secret: other },
    });
    const [last] = await world.store.read(`action-${record?.id ?? ''}`, { backwards: true, limit: 1 });
    expect(await both.reseal(operatorIdentity('r'), last?.position)).toMatchObject({ checked: 1, next: null });
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
    const protecting = ofLive((_command: null, record: ActionRecord): ActionEvent[] => [
      { type: 'ProtectionSet', data: { record: { ...record, protected: true, version: record.version + 1 } } },
    ]);
    await service.writer.decide({ kind: actionKind, decide: protecting }, backend, String(made.id), null);
    await expect(change({ title: 'x' })).rejects.toMatchObject({ code: 'blueprint_resource_protected' });
    await expect(remove()).rejects.toMatchObject({ code: 'blueprint_resource_protected' });
    expect((await rotate()).secret_version).toBe(2);
    expect(world.clock.now()).toBeGreaterThan(0);
  });

  it('that change nothing write nothing', async () => {
    const { create, change, world } = start();
    const made = await create({ title: 'Send' });
    await change({ title: 'Send' });
    await expect(change({ endpoint_url: 'https://blocked.example' })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { argument: 'endpoint_url' },
    });
    expect(await world.store.read(`action-${String(made.id)}`, { limit: 10 })).toHaveLength(1);
  });
});
