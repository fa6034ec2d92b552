// What `npm ci` does beside fetching packages, so that a start has nothing left to do: the program of /docs, then a build.
import { build } from './build.mjs';
import { installReference } from './reference.mjs';

installReference();
await build();
