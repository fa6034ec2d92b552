import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import { type Artifact, type Client, type FormField, eventually, sendForm } from '../harness/index.js';

let service: OwnService;
let api: Client;
let made: Artifact[] = [];
let before = { used_bytes: 0 };
let bytesBefore = 0;

export async function startConversions(): Promise<void> {
  service = await OwnService.start();
  api = service.client;
}

export const removeConversions = (): Promise<void> => service.remove();

/** Bytes of blobs in the folder of a service. */
export function storedBytes(folder: string): number {
  const blobs = join(folder, 'blobs');
  return (existsSync(blobs) ? readdirSync(blobs, { recursive: true, withFileTypes: true }) : [])
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
const view = () => api.get<{ used_bytes: number }>('/v1/settings/artifact-storage/quota');

/** Kills right after files were stored whose text is being taken out. */
export async function killAtConversions(): Promise<void> {
  [before, bytesBefore] = [await view(), storedBytes(service.folder)];
  const page = Buffer.from(`<p>${'cold tea '.repeat(1_000)}</p>`);
  const fields: FormField[] = [
    ['name', 'page'],
    ['mime', 'text/html'],
    ['convert', 'true'],
    ['file', page, 'page'],
  ];
  const answers = await Promise.all(Array.from({ length: 6 }, () => sendForm(api, fields)));
  await service.end('SIGKILL');
  await service.run();
  made = answers.map(({ body }) => body as Artifact);
}

/** Each conversion ends, and with the files their texts go. */
export async function expectTexts(): Promise<void> {
  expect(made).toHaveLength(6);
  const states = async () =>
    (await Promise.all(made.map(({ id }) => api.get<Artifact>(`/v1/artifacts/${id}`)))).map(
      ({ conversion }) => conversion?.state,
    );
  await eventually(
    'every conversion to have ended',
    async () => (await states()).every((state) => state === 'ready'),
    120_000,
  );
  for (const { id } of made) await api.delete(`/v1/artifacts/${id}`);
  await eventually('the pieces to be gone', async () => storedBytes(service.folder) === bytesBefore, 180_000);
  await eventually('the bytes to be free', async () => (await view()).used_bytes === before.used_bytes);
}
