import { runProcess } from './run-process.js';

/** Put in when the package is made (`tools/svc-package.mjs`). */
declare const packedVersion: string;

/** The program as a package: it speaks to a service somewhere else, so it has no operator's commands. */
void runProcess({ version: packedVersion, operator: null, localChecks: null });
