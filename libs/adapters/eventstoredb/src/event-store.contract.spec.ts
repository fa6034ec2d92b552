import { eventStoreContract } from '@aos/kernel/contracts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDbEventStore } from './index.js';
import { ProtocolServer } from '@aos/eventstore-twin';

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
