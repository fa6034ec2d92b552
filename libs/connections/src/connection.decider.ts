import { decider } from '@aos/kernel';
import {
  beginAuthorization,
  endFlow,
  failAuthorization,
  noteCode,
  redeemCode,
} from './authorizing/authorizing.decide.js';
import { connectionKind } from './connection/connection.state.js';
import {
  changeConnection,
  createConnection,
  deleteConnection,
  endGrants,
  grantConnection,
} from './connections/connections.decide.js';
import { followSecret } from './tokens/following.decide.js';
import { beginRefresh, failRefresh, loseAuthorization } from './tokens/refreshing.decide.js';

/** All that can happen to a connection. */
export const connectionDecider = decider(connectionKind, {
  createConnection,
  changeConnection,
  followSecret,
  grantConnection,
  endGrants,
  deleteConnection,
  beginAuthorization,
  noteCode,
  endFlow,
  redeemCode,
  failAuthorization,
  beginRefresh,
  failRefresh,
  loseAuthorization,
});
