import { createServer } from 'node:net';

/** As many ports of 127.0.0.1 that nobody listens at; each another one. */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(
    servers.map(
      (server) =>
        new Promise((resolve, reject) => {
          server.once('error', reject).listen(0, '127.0.0.1', resolve);
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(
    servers.map(
      (server) =>
        new Promise((resolve) => {
          server.close(resolve);
        }),
    ),
  );
  return ports;
}

export async function freePort() {
  const [port] = await freePorts(1);
  return port;
}

/**
 * Ports at which suites that run at the same time listen as somebody's action server, and the variables that tell the
 * suites.
 */
export async function actionsPorts() {
  const ports = await freePorts(6);
  return { ports, env: { ACTIONS_PORT: String(ports[0]), ACTIONS_PORTS: ports.join(',') } };
}
