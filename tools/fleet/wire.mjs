// A wire between two programs that tests can cut, hold and slow down; with several ends also what a load balancer is:
// the next one that is ready.
import { connect, createServer } from 'node:net';

const connectMs = 1_000;
const probeEveryMs = 200;
const probeMs = 1_000;
const delayedBytesMax = 1024 * 1024;

/** One TCP port in front of one or more targets. */
export class Wire {
  #targets;
  #server;
  #pairs = new Set();
  #waiting = new Set();
  #mode = 'open';
  #delayMs = 0;
  #next = 0;
  #probing = null;

  /**
   * Takes the ports on 127.0.0.1 behind it, each with what says that it is ready: `{port, ready?: () =>
   * Promise<boolean>}`.
   */
  constructor(name, targets) {
    this.name = name;
    this.#targets = targets.map((target) => ({ ...target, isReady: true }));
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      this.#take(client);
    });
  }

  async listen(port = 0) {
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    this.port = this.#server.address().port;
    if (this.#targets.some(({ ready }) => ready)) this.#probe();
    return this.port;
  }

  /**
   * `open`; `cut`: every connection is torn down and none is made; `hold`: nothing passes, nobody is told; `slow`: each
   * piece comes `delayMs` later.
   */
  set(mode, delayMs = 0) {
    this.#mode = mode;
    this.#delayMs = mode === 'slow' ? delayMs : 0;
    if (mode === 'cut') for (const pair of [...this.#pairs]) pair.destroy();
    for (const pair of this.#pairs) pair.hold(mode === 'hold');
    if (mode === 'hold') return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const client of waiting) this.#take(client);
  }

  close() {
    clearTimeout(this.#probing);
    this.#probing = null;
    this.#server.close();
    for (const pair of [...this.#pairs]) pair.destroy();
    for (const client of this.#waiting) client.destroy();
  }

  #take(client) {
    client.on('error', () => {
      client.destroy();
    });
    if (this.#mode === 'cut') client.destroy();
    else if (this.#mode === 'hold') {
      client.pause();
      this.#waiting.add(client);
      client.once('close', () => {
        this.#waiting.delete(client);
      });
    } else this.#join(client, this.#targets.length);
  }

  /** Connects to the next target that is ready, else to the next at all; one that refuses is passed over. */
  #join(client, tries) {
    if (client.destroyed) return;
    if (tries === 0) {
      client.destroy();
      return;
    }
    const from = this.#next;
    this.#next += 1;
    const inOrder = this.#targets.map((_, place) => this.#targets[(from + place) % this.#targets.length]);
    const { port } = inOrder.find(({ isReady }) => isReady) ?? inOrder[0];
    const upstream = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    upstream.setTimeout(connectMs, () => {
      upstream.destroy(new Error('timeout'));
    });
    const failed = () => {
      this.#join(client, tries - 1);
    };
    upstream.once('error', failed);
    upstream.once('connect', () => {
      upstream.off('error', failed);
      upstream.setTimeout(0);
      this.#pair(client, upstream);
    });
  }

  #pair(client, upstream) {
    const lines = [this.#line(client, upstream), this.#line(upstream, client)];
    const pair = {
      hold: (isHeld) => {
        for (const line of lines) line.hold(isHeld);
      },
      destroy: () => {
        this.#pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      },
    };
    this.#pairs.add(pair);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', pair.destroy);
      socket.once('close', pair.destroy);
    }
    if (this.#mode === 'hold') pair.hold(true);
    if (this.#mode === 'cut') pair.destroy();
  }

  /** One direction: bytes in order, at most so many of them delayed at a time. */
  #line(from, to) {
    let [isHeld, pending, lastDue] = [false, 0, 0];
    const write = (bytes) => {
      if (!to.destroyed && !to.write(bytes)) {
        from.pause();
        to.once('drain', () => {
          if (!isHeld) from.resume();
        });
      }
    };
    const delayed = [];
    const passOn = () => {
      while (delayed.length > 0 && delayed[0].due <= performance.now()) delayed.shift().work();
      if (delayed.length > 0) setTimeout(passOn, Math.ceil(delayed[0].due - performance.now()));
    };
    const later = (work) => {
      const now = performance.now();
      lastDue = Math.max(lastDue, now + this.#delayMs);
      if (delayed.length === 0 && lastDue <= now) {
        work();
        return;
      }
      delayed.push({ due: lastDue, work }); // behind what waits, however late the timer is
      if (delayed.length === 1) setTimeout(passOn, Math.ceil(lastDue - now));
    };
    from.on('data', (bytes) => {
      pending += bytes.length;
      if (pending > delayedBytesMax) from.pause();
      later(() => {
        pending -= bytes.length;
        write(bytes);
        if (pending <= delayedBytesMax && !isHeld && !to.writableNeedDrain) from.resume();
      });
    });
    from.on('end', () => {
      later(() => {
        to.end();
      });
    });
    return {
      hold(held) {
        isHeld = held;
        if (held) from.pause();
        else from.resume();
      },
    };
  }

  #probe() {
    this.#probing = setTimeout(async () => {
      await Promise.all(
        this.#targets.map(async (target) => {
          if (target.ready) target.isReady = await target.ready(AbortSignal.timeout(probeMs)).catch(() => false);
        }),
      );
      if (this.#probing) this.#probe();
    }, probeEveryMs);
  }
}

/** Something that answers `/readyz` on a port. */
export function readiness(port) {
  return async (signal) => (await fetch(`http://127.0.0.1:${port}/readyz`, { signal })).ok;
}
