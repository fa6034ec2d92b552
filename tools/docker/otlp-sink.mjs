// Stands for an OpenTelemetry collector: takes OTLP over HTTP on 4318; GET / tells how many deliveries came from which
// path.
import { createServer } from 'node:http';

const bodyBytesMax = 16 * 1024 * 1024;
const deliveries = {};

createServer((request, response) => {
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > bodyBytesMax) request.destroy();
  });
  request.on('end', () => {
    if (request.method === 'POST') deliveries[request.url] = (deliveries[request.url] ?? 0) + 1;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(request.method === 'POST' ? '{}' : JSON.stringify(deliveries));
  });
}).listen(4318);
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
