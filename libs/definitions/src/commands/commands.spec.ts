import type { Identity } from '@aos/kernel';
import { CommandSender, LocalCommandGateway, RoutedCommands } from '@aos/platform';
import { CreateAgent } from '../agents/agents.handlers.js';
import { memoryKind, memoryStreamId } from '../memory/memory.state.js';
import { backend, caller, newWorld, otherPerson, person } from '../testing/definitions.fixture.js';
import { tablesProcess } from '../testing/tables.fixture.js';
import { NamedTableQueries } from './named-tables.queries.js';
import { RecallQueries, type MemoryPartition } from './recall.queries.js';
import { Forget, Remember } from './remembering.commands.js';
import { ForgetHandler, RememberHandler } from './remembering.handlers.js';
import { DeleteTableRow, SaveTableRow, type RowToDelete, type SavedRow } from './saved-rows.commands.js';
import { DeleteTableRowHandler, SaveTableRowHandler } from './saved-rows.handlers.js';

async function start() {
  const service = tablesProcess(newWorld());
  const routed = new RoutedCommands();
  const saving = new SaveTableRowHandler(service.tables, service.rows);
  const deleting = new DeleteTableRowHandler(service.tables, service.rows, service.reader);
  const remembering = new RememberHandler(service.streams, service.entries);
  const forgetting = new ForgetHandler(service.streams, service.entries);
  routed.register(SaveTableRow, (command) => saving.execute(command as SaveTableRow));
  routed.register(DeleteTableRow, (command) => deleting.execute(command as DeleteTableRow));
  routed.register(Remember, (command) => remembering.execute(command as Remember));
  routed.register(Forget, (command) => forgetting.execute(command as Forget));
  const sender = new CommandSender(new LocalCommandGateway(routed));
  const tables = Object.assign(new NamedTableQueries(service.tables, service.reader, service.lists), {
    saveRow: (who: Identity, row: SavedRow, deliveryId: string) => sender.send(new SaveTableRow(who, row, deliveryId)),
    deleteRow: (who: Identity, row: RowToDelete, deliveryId: string) =>
      sender.send(new DeleteTableRow(who, row, deliveryId)),
  });
  const at = ({ agentId, userId }: MemoryPartition, key: string) => ({ agent_id: agentId, user_id: userId, key });
  const memories = Object.assign(new RecallQueries(service.memory), {
    remember: (
      who: Identity,
      partition: MemoryPartition,
      key: string,
      desired: { content: string },
      deliveryId: string,
    ) => sender.send(new Remember(who, { ...at(partition, key), desired }, deliveryId)),
    forget: (who: Identity, partition: MemoryPartition, key: string, deliveryId: string) =>
      sender.send(new Forget(who, at(partition, key), deliveryId)),
  });
  const table = await service.table();
  const { agent } = await service.createAgent.execute(
    new CreateAgent(backend, { body: { name: 'a', visibility: 'organization' } }),
  );
  const who = caller('agent', 'svc.resource.use', String(agent.id));
  return { service, tables, memories, table, who, agentId: String(agent.id) };
}

describe('tables for whoever acts as a principal', () => {
  it('are found by name or id, and a delivery writes once', async () => {
    const { service, tables, table, who } = await start();
    expect((await tables.list(who)).items).toHaveLength(1);
    expect((await tables.get(who, table.wire.name)).id).toBe(table.id);
    const first = await tables.saveRow(who, { table: table.wire.name, data: { id: 'a', n: 1 } }, 'dlv_1');
    expect(first).toMatchObject({ created: true, row: { version: 1 } });
    await tables.saveRow(who, { table: table.id, data: { id: 'a', n: 2 } }, 'dlv_2');
    expect(await tables.saveRow(who, { table: table.id, data: { id: 'a', n: 1 } }, 'dlv_1')).toMatchObject({
      created: true,
      row: { version: 2, data: { n: 2 } },
    });
    const row = await tables.getRow(who, table.id, { identity: 'a' });
    expect(await tables.getRow(who, table.id, { row_id: String(row.id) })).toEqual(row);
    expect(await service.all(table)).toEqual([{ id: 'a', n: 2 }]);
    expect(await tables.deleteRow(who, { table: table.id, identity: 'a' }, 'dlv_3')).toEqual({
      deleted: true,
      row_id: row.id,
    });
    expect(await tables.deleteRow(who, { table: table.id, identity: 'a' }, 'dlv_3')).toEqual({
      deleted: true,
      row_id: row.id,
    });
    await expect(tables.deleteRow(who, { table: table.id, identity: 'a' }, 'dlv_4')).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(tables.getRow(who, table.id, { identity: 'a' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a path names one by its id only', async () => {
    const { service, tables, table, who } = await start();
    const data = { id: 'a', n: 1 };
    const named = { table_id: table.wire.name };
    await expect(tables.saveRow(who, { ...named, data }, 'd1')).rejects.toMatchObject({ code: 'not_found' });
    await expect(tables.deleteRow(who, { ...named, identity: 'a' }, 'd2')).rejects.toMatchObject({ code: 'not_found' });
    await expect(tables.saveRow(who, { data } as never, 'd3')).rejects.toMatchObject({ code: 'bad_request' });
    expect(await tables.saveRow(who, { table_id: table.id, data }, 'd4')).toMatchObject({ created: true });
    expect(await service.all(table)).toEqual([data]);
  });

  it("a late repeat of a save that changed nothing changes nothing either, by identity or by the row's id", async () => {
    const { service, tables, table, who } = await start();
    const { row } = (await tables.saveRow(who, { table: table.id, data: { id: 'a', n: 1 } }, 'd1')) as {
      row: { id: string };
    };
    const byId = { table: table.id, row_id: row.id, data: { n: 1 } };
    expect(await tables.saveRow(who, { table: table.id, data: { id: 'a', n: 1 } }, 'd2')).toMatchObject({
      created: false,
      row: { version: 1 },
    });
    expect(await tables.saveRow(who, byId, 'd3')).toMatchObject({ created: false, row: { version: 1 } });
    await tables.saveRow(who, { table: table.id, data: { id: 'a', n: 2 } }, 'd4');
    expect(await tables.saveRow(who, { table: table.id, data: { id: 'a', n: 1 } }, 'd2')).toMatchObject({
      created: false,
      row: { version: 2, data: { n: 2 } },
    });
    expect(await tables.saveRow(who, byId, 'd3')).toMatchObject({ row: { version: 2, data: { n: 2 } } });
    expect(
      await tables.saveRow(who, { table: table.id, data: { id: 'a', n: 2 }, row_id: row.id, version: 1 }, 'd4'),
    ).toMatchObject({ row: { version: 2 } });
    expect(await service.all(table)).toEqual([{ id: 'a', n: 2 }]);
  });

  it('a repeat of a save that gave the row another identity finds it there', async () => {
    const { service, tables, table, who } = await start();
    const { row } = (await tables.saveRow(who, { table: table.id, data: { id: 'a', n: 1 } }, 'd1')) as {
      row: { id: string };
    };
    const move = { table: table.id, row_id: row.id, data: { id: 'b' } };
    expect(await tables.saveRow(who, move, 'd2')).toMatchObject({ row: { version: 2, data: { id: 'b', n: 1 } } });
    await tables.saveRow(who, { table: table.id, data: { id: 'b', n: 5 } }, 'd3');
    expect(await tables.saveRow(who, move, 'd2')).toMatchObject({ row: { version: 3, data: { id: 'b', n: 5 } } });
    expect(await service.all(table)).toEqual([{ id: 'b', n: 5 }]);
  });

  it("out of the principal's reach are not there", async () => {
    const { service, tables, who } = await start();
    const mine = await service.table({}, person);
    for (const asked of [
      tables.get(who, mine.id),
      tables.query(who, mine.wire.name, {}),
      tables.saveRow(who, { table: mine.id, data: { id: 'a' } }, 'd'),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('memory for tools', () => {
  it('remembers, recalls and forgets, once for each delivery', async () => {
    const { memories, who, agentId } = await start();
    const shared = { agentId, userId: '' };
    const own = { agentId, userId: 'user_ann' };
    const forAnn = { ...who, actsFor: person };
    await expect(memories.remember(who, own, 'tea', { content: 'x' }, 'm0')).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(memories.recallKey({ ...who, actsFor: otherPerson }, own, 'tea')).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await memories.remember(who, shared, 'tea', { content: 'Tea at four' }, 'm1')).toMatchObject({
      created: true,
    });
    expect(await memories.remember(who, shared, 'tea', { content: 'Tea at four' }, 'm1')).toMatchObject({
      created: true,
      entry: { version: 1 },
    });
    await memories.remember(forAnn, own, 'tea', { content: 'Ann likes green tea' }, 'm2');
    expect(await memories.recallKey(forAnn, own, 'tea')).toMatchObject({ content: 'Ann likes green tea' });
    expect((await memories.recall(forAnn, own, { query: 'tea' })).items).toHaveLength(2);
    expect((await memories.recall(who, shared, { query: 'tea' })).items).toHaveLength(1);
    expect(await memories.forget(forAnn, own, 'tea', 'm3')).toEqual({ forgotten: true });
    expect(await memories.forget(forAnn, own, 'tea', 'm3')).toEqual({ forgotten: true });
    expect(await memories.forget(forAnn, own, 'tea', 'm4')).toEqual({ forgotten: false });
    expect(await memories.recallKey(forAnn, own, 'tea')).toMatchObject({ content: 'Tea at four' });
  });
  it('says of each change whether a tool or the API made it', async () => {
    const { service, memories, who, agentId } = await start();
    const key = { agent_id: agentId, user_id: '', key: 'tea' };
    await memories.remember(who, { agentId, userId: '' }, 'tea', { content: 'green' }, 'm1');
    const remembering = new RememberHandler(service.streams, service.entries);
    await remembering.execute(new Remember(who, { ...key, desired: { content: 'black' } }));
    await memories.forget(who, { agentId, userId: '' }, 'tea', 'm2');
    await remembering.execute(new Remember(who, { ...key, desired: { content: 'white' } }));
    await new ForgetHandler(service.streams, service.entries).execute(new Forget(who, key));
    const stream = memoryStreamId('salt', agentId, '', 'tea');
    const events = await service.decisions.read(memoryKind, stream, { limit: 10 });
    expect(events.map(({ data }) => 'reason' in data && data.reason)).toEqual([
      'remembered',
      'api',
      'remembered',
      'api',
      'api',
    ]);
  });

  it('a late repeat of what changed nothing changes nothing either', async () => {
    const { memories, who, agentId } = await start();
    const shared = { agentId, userId: '' };
    expect(await memories.forget(who, shared, 'tea', 'f1')).toEqual({ forgotten: false });
    await memories.remember(who, shared, 'tea', { content: 'green' }, 'm1');
    expect(await memories.remember(who, shared, 'tea', { content: 'green' }, 'm2')).toMatchObject({
      created: false,
      entry: { version: 1 },
    });
    await memories.remember(who, shared, 'tea', { content: 'black' }, 'm3');
    expect(await memories.remember(who, shared, 'tea', { content: 'green' }, 'm2')).toMatchObject({
      created: false,
      entry: { content: 'black', version: 2 },
    });
    expect(await memories.forget(who, shared, 'tea', 'f1')).toEqual({ forgotten: false });
    expect(await memories.recallKey(who, shared, 'tea')).toMatchObject({ content: 'black' });
  });
});
