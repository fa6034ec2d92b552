// All wires of a fleet under test, and the address at which a test works them.
import { createServer } from 'node:http';
import { Wire } from './wire.mjs';

const modes = ['open', 'cut', 'hold', 'slow'];

export class Wires {
  #wires = new Map();
  #server = createServer((request, response) => {
    this.#answer(new URL(request.url, 'http://wires'), request.method, response);
  });

  /** `POST <control>/<name>?mode=open|cut|hold|slow&ms=`; `GET <control>/` lists the names. */
  async start() {
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    this.control = `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Gives the port by which a target is reached from now on. */
  async before(name, target) {
    const wire = new Wire(name, [target]);
    this.add(wire);
    return wire.listen();
  }

  add(wire) {
    this.#wires.set(wire.name, wire);
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const wire of this.#wires.values()) wire.close();
  }

  #answer(url, method, response) {
    const wire = this.#wires.get(url.pathname.slice(1));
    const mode = url.searchParams.get('mode');
    if (method === 'GET' && url.pathname === '/') response.end(JSON.stringify([...this.#wires.keys()]));
    else if (method === 'POST' && wire && modes.includes(mode)) {
      wire.set(mode, Number(url.searchParams.get('ms') ?? 0));
      response.writeHead(204).end();
    } else response.writeHead(404).end();
  }
}
