import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../testing/eventually.js';
import { EgressFailure, type Egress, type EgressRequest } from './egress.js';

const deadlineMs = 180_000;

/** The Egress port's suite. Takes how an adapter is made that may call these `host:port` pairs, on a real clock. */
export function egressContract(name: string, make: (allow: readonly string[]) => Egress): void {
  describe(`Egress: ${name}`, () => {
    let server: Server;
    let egress: Egress;
    let answer: (request: IncomingMessage, response: ServerResponse) => void;
    let connections = 0;
    let requests = 0;
    beforeAll(async () => {
      server = createServer((request, response) => {
        requests += 1;
        answer(request, response);
      });
      server.on('connection', (socket) => {
        connections += 1;
        socket.on('close', () => {
          connections -= 1;
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      egress = make([`127.0.0.1:${(server.address() as AddressInfo).port}`]);
    }, deadlineMs);
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    const request = (changes: Partial<EgressRequest> = {}): EgressRequest => ({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=1`,
      method: 'POST',
      headers: { 'X-One': '1' },
      body: Buffer.from('hello'),
      timeoutMs: 10_000,
      responseBytesMax: 1024,
      ...changes,
    });
    const read = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };
    const failure = async (work: Promise<unknown>): Promise<EgressFailure> => {
      const error: unknown = await work.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof EgressFailure)) throw new Error(`expected an EgressFailure, got ${String(error)}`);
      return error;
    };
    const allClosed = () => eventually('the connection to be closed', () => connections === 0);

    test(
      'the whole answer, and the answer as it comes, are the same',
      async () => {
        answer = (_request, response) => {
          response.writeHead(201, { 'X-Two': ['a', 'b'] }).end('made');
        };
        const [whole, opened] = [await egress.send(request()), await egress.open(request())];
        expect({ ...whole, body: Buffer.from(whole.body).toString() }).toMatchObject({
          status: 201,
          headers: { 'x-two': 'a, b' },
          body: 'made',
        });
        expect({ ...opened, body: await read(opened.body) }).toEqual({ ...whole, body: 'made' });
        await allClosed();
      },
      deadlineMs,
    );

    test(
      'open: a piece is there before the next is written',
      async () => {
        let more: () => void = () => undefined;
        answer = (_request, response) => {
          response.write('first');
          more = () => {
            response.end('second');
          };
        };
        const { body } = await egress.open(request());
        const seen: string[] = [];
        for await (const chunk of body) {
          if (seen.push(Buffer.from(chunk).toString()) === 1) more();
        }
        expect(seen).toEqual(['first', 'second']);
        await allClosed();
      },
      deadlineMs,
    );

    test(
      'open: the cap counts the body, announced or not',
      async () => {
        answer = (_request, response) => {
          response.write(Buffer.alloc(600));
          response.end(Buffer.alloc(600));
        };
        const { body } = await egress.open(request());
        expect(await failure(read(body))).toMatchObject({ reason: 'response_too_large', connected: true });
        answer = (_request, response) => {
          response.end(Buffer.alloc(1200));
        };
        expect(await failure(egress.open(request()))).toMatchObject({ reason: 'response_too_large', connected: true });
        await allClosed();
      },
      deadlineMs,
    );

    test(
      'open: the time-out holds until the body ends, read or not',
      async () => {
        answer = (_request, response) => {
          response.write('never ends');
        };
        const [{ body }] = await Promise.all([
          egress.open(request({ timeoutMs: 300 })),
          egress.open(request({ timeoutMs: 300 })),
        ]);
        expect(await failure(read(body))).toMatchObject({ reason: 'timeout', connected: true });
        await allClosed();
      },
      deadlineMs,
    );

    test(
      'open: a caller who gives up, a reader who leaves and a connection that breaks end it',
      async () => {
        answer = (_request, response) => {
          response.write('some');
        };
        const caller = new AbortController();
        const given = await egress.open(request({ signal: caller.signal }));
        caller.abort();
        expect(await failure(read(given.body))).toMatchObject({ reason: 'aborted', connected: true });
        const left = await egress.open(request());
        for await (const chunk of left.body) if (chunk.length > 0) break;
        await allClosed();
        answer = (incoming, response) => {
          response.write('some', () => incoming.socket.destroy());
        };
        const broken = await egress.open(request());
        expect(await failure(read(broken.body))).toMatchObject({ reason: 'unreachable', connected: true });
        await allClosed();
      },
      deadlineMs,
    );

    test(
      'open: the guard stands: no private address, no redirect, nothing sent',
      async () => {
        const before = requests;
        for (const url of ['http://127.0.0.1:81/', 'http://[::1]/', 'http://localhost/', 'ftp://example.com/']) {
          expect(egress.refusal(url)).not.toBeNull();
          expect(await failure(egress.open(request({ url })))).toMatchObject({ connected: false });
        }
        expect(requests).toBe(before);
        answer = (_request, response) => {
          response.writeHead(302, { location: '/b' }).end();
        };
        expect(await failure(egress.open(request()))).toMatchObject({ reason: 'redirect', connected: true });
        expect(requests).toBe(before + 1);
        await allClosed();
      },
      deadlineMs,
    );
  });
}
