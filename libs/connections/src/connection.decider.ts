import { decider } from '@aos/kernel';
import { connectionKind } from './connection/connection.state.js';
import {
  changeConnection,
  createConnection,
  deleteConnection,
  endGrants,
  followSecret,
  grantConnection,
} from './connections/connections.decide.js';

/** All that can happen to a connection. */
export const connectionDecider = decider(connectionKind, {
  createConnection,
  changeConnection,
  followSecret,
  grantConnection,
  endGrants,
  deleteConnection,
});
