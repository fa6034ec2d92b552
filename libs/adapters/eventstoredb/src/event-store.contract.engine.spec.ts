import { eventStoreContract } from '@aos/kernel/contracts';
import { EventStoreDbEventStore } from './index.js';

const url = process.env['SVC_EVENTSTOREDB_URL'];

if (url) {
  eventStoreContract('EventStoreDB client against the server at SVC_EVENTSTOREDB_URL', async () => {
    let store = new EventStoreDbEventStore({ url });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = new EventStoreDbEventStore({ url });
        return store;
      },
      close: () => store.close(),
    };
  });
} else {
  test.todo('EventStore: EventStoreDB client against a given server (SVC_EVENTSTOREDB_URL is not set)');
}
