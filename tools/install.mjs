// What `npm ci` does beside fetching packages, so that a start has nothing left to do: the program of /docs, then
// a build of the service, of the client's package and of the console.
import { build } from './build.mjs';
import { buildClient } from './client.mjs';
import { buildConsole } from './console.mjs';
import { installReference } from './reference.mjs';

installReference();
await build();
await buildClient();
await buildConsole();
