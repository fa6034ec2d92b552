import { StartFault } from '@aos/kernel';

/** Where a listener was to be, and the settings that say so. */
export interface ListenAddress {
  setting: string;
  port: number;
  host: string;
}

/** Puts into words why an address cannot be listened on; any other error is given back as it is. */
export function listenFault(error: unknown, { setting, port, host }: ListenAddress): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'getaddrinfo')
    return new StartFault(`SVC_HOST: the name ${host} has no address (${String(code)}).`, { cause: error });
  if (syscall !== 'listen') return error;
  if (code === 'EADDRINUSE')
    return new StartFault(`${setting}: the port ${port} on ${host} is in use by another process.`, { cause: error });
  if (code === 'EADDRNOTAVAIL')
    return new StartFault(`SVC_HOST: ${host} is no address of this machine.`, { cause: error });
  if (code === 'EACCES')
    return new StartFault(`${setting}: this user may not listen on port ${port}.`, { cause: error });
  return new StartFault(`${setting}: port ${port} on ${host} cannot be listened on (${String(code)}).`, {
    cause: error,
  });
}
