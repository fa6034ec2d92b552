import { join } from 'node:path';
import { ProtocolServer } from '@aos/eventstore-twin';
import { messageOf } from '@aos/kernel';

const portMax = 65_535;

/**
 * Serves the event store's protocol on `SVC_PORT` (0 or absent: a free one) of `SVC_HOST` (absent: 127.0.0.1), with its
 * log under `SVC_DATA_DIR`, until SIGTERM.
 */
async function serve(): Promise<void> {
  const port = Number(process.env['SVC_PORT'] ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > portMax)
    throw new Error(`SVC_PORT is not a port: ${process.env['SVC_PORT']}`);
  const server = new ProtocolServer({
    port,
    ...(process.env['SVC_HOST'] ? { host: process.env['SVC_HOST'] } : {}),
    folder: join(process.env['SVC_DATA_DIR'] ?? './data', 'eventstore'),
  });
  const url = await server.listen();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.close();
      process.exit(0);
    });
  }
  process.stdout.write(`eventstore-twin ready ${url}\n`);
}

serve().catch((error: unknown) => {
  process.stderr.write(`eventstore-twin cannot start: ${messageOf(error)}\n`);
  process.exit(1);
});
