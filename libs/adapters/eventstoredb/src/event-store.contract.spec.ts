import { eventStoreContract } from '@aos/kernel/contracts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDbEventStore } from './index.js';
import { ProtocolServer } from './protocol-server/index.js';

eventStoreContract('EventStoreDB client against the in-repo protocol server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'protocol-server-'));
  let server = new ProtocolServer({ folder });
  const url = await server.listen();
  let store = new EventStoreDbEventStore({ url });
  return {
    store,
    reopen: async () => {
      await store.close();
      const { port } = server;
      server.close();
      server = new ProtocolServer({ folder, port });
      await server.listen();
      store = new EventStoreDbEventStore({ url });
      return store;
    },
    close: async () => {
      await store.close();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

const realUrl = process.env['SVC_EVENTSTOREDB_URL'];
const realName = 'EventStoreDB client against the real server at SVC_EVENTSTOREDB_URL';

if (realUrl) {
  eventStoreContract(realName, async () => {
    let store = new EventStoreDbEventStore({ url: realUrl });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = new EventStoreDbEventStore({ url: realUrl });
        return store;
      },
      close: () => store.close(),
    };
  });
} else {
  test('SVC_EVENTSTOREDB_URL is not set: the contract ran against the in-repo protocol server only', () => {
    expect(realUrl).toBeUndefined();
  });
}
