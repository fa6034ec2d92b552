import { connect } from 'node:net';
import { operatorSocketPath, type OperatorAnswer, type OperatorAsk } from '@aos/access';

const answerBytesMax = 16 * 1024 * 1024;
/** Error codes of a connection that say that no service listens on the socket. */
const nobody = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/** Asks the service that runs on this data directory; null when none does. Throws when it breaks off. */
export function askRunningService(dataDir: string, ask: OperatorAsk): Promise<OperatorAnswer | null> {
  return new Promise((resolve, reject) => {
    const connection = connect(operatorSocketPath(dataDir));
    let text = '';
    connection.setEncoding('utf8');
    connection.on('connect', () => connection.write(`${JSON.stringify(ask)}\n`));
    connection.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > answerBytesMax) connection.destroy(new Error('the answer is too long'));
    });
    connection.on('error', (error: NodeJS.ErrnoException) => {
      if (nobody.has(error.code ?? '')) resolve(null);
      else reject(error);
    });
    connection.on('end', () => {
      if (text.endsWith('\n')) resolve(JSON.parse(text) as OperatorAnswer);
      else reject(new Error('the service broke off'));
    });
  });
}
