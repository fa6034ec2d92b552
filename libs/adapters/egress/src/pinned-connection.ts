import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';

export interface PinnedConnection {
  /** The name in the URL: what the certificate must be for. */
  host: string;
  port: number;
  secure: boolean;
  /** Checked addresses, tried in this order. */
  addresses: readonly string[];
  signal: AbortSignal;
}

/** Addresses of one name that are tried before giving up. */
const addressesTriedMax = 4;

/**
 * Opens a connection to a checked address; no name is looked up again on the way. Rejects with the last address's
 * error.
 */
export async function connectPinned({ addresses, ...connection }: PinnedConnection): Promise<Socket> {
  let last: unknown = new Error('no address');
  for (const address of addresses.slice(0, addressesTriedMax)) {
    connection.signal.throwIfAborted();
    try {
      return await connectTo(address, connection);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function connectTo(
  address: string,
  { host, port, secure, signal }: Omit<PinnedConnection, 'addresses'>,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = secure
      ? connectSecure({
          host: address,
          port,
          ALPNProtocols: ['http/1.1'],
          ...(isIP(host) ? {} : { servername: host.replace(/\.$/, '') }),
        })
      : connectPlain({ host: address, port });
    const settle = () => {
      signal.removeEventListener('abort', abort);
      socket.removeListener('error', fail);
      socket.removeListener(event, open);
    };
    const abort = () => {
      settle();
      socket.destroy();
      reject(signal.reason as Error);
    };
    const fail = (error: Error) => {
      settle();
      socket.destroy();
      reject(error);
    };
    const open = () => {
      settle();
      socket.setNoDelay(true);
      resolve(socket);
    };
    const event = secure ? 'secureConnect' : 'connect';
    // a socket without a listener ends the process; its user sees the close
    socket.on('error', () => undefined);
    socket.once('error', fail);
    socket.once(event, open);
    signal.addEventListener('abort', abort, { once: true });
  });
}
