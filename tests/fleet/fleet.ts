import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../harness/index.js';

interface ServiceProcess {
  name: string;
  replica: number;
  pid: number | null;
  url: string;
}
interface EngineProcess {
  name: string;
  pid: number | null;
  url: string;
}
interface FleetRecord {
  gateway: string;
  services: ServiceProcess[];
  engines: EngineProcess[];
  wires?: string;
}

const backMs = 120_000;

jest.setTimeout(360_000);

/** What the launcher says is running now. */
export function fleet(): FleetRecord {
  const folder = process.env['SERVICE_DATA_DIR'];
  if (!folder)
    throw new Error(
      'SERVICE_DATA_DIR names the data directory of the fleet under test: run these suites with `npm run test:fleet`',
    );
  return JSON.parse(readFileSync(join(folder, 'fleet.json'), 'utf8')) as FleetRecord;
}

export function replicas(name: string): ServiceProcess[] {
  return fleet().services.filter((service) => service.name === name);
}

export function engine(name: string): EngineProcess {
  const found = fleet().engines.find((one) => one.name === name);
  if (!found) throw new Error(`the fleet has no ${name}`);
  return found;
}

/** Ends a process as a crash would; gives its pid. */
export function crash({ name, pid }: { name: string; pid: number | null }): number {
  if (pid === null) throw new Error(`${name} is not running`);
  process.kill(pid, 'SIGKILL');
  return pid;
}

/** Waits until the launcher has started a service again and it answers `/readyz`. */
export async function serviceBack({ name, replica }: ServiceProcess, deadPid: number): Promise<void> {
  await eventually(
    `${name} ${replica} being back`,
    async () => {
      const now = replicas(name).find((one) => one.replica === replica);
      if (!now || now.pid === null || now.pid === deadPid) return false;
      return (await fetch(`${now.url}/readyz`)).ok;
    },
    backMs,
  );
}

/** Waits until the launcher has started an engine again; it does so only when the engine answers. */
export async function engineBack(name: string, deadPid: number): Promise<void> {
  await eventually(
    `${name} being back`,
    () => {
      const { pid } = engine(name);
      return Promise.resolve(pid !== null && pid !== deadPid);
    },
    backMs,
  );
}
