// How Node runs the services, wherever they are started: `npm start` and the image say the same (node-flags.spec.ts).

/**
 * The young generation (ADR 32), the growth of the heap between full collections (ADR 69), the program's own code on
 * large pages (ADR 63; `silent`: where the system has none, the service starts without), and what V8's last compiler
 * is given and makes of it (ADR 75).
 */
export const nodeFlags = [
  '--enable-source-maps',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  '--heap-growing-percent=100',
  '--use-largepages=silent',
  '--concurrent-recompilation-queue-length=200',
  '--no-turbo-inline-array-builtins',
];

/** Large pages for what is allocated outside of V8's heap; other C libraries than glibc pass it over. */
export const nodeEnvironment = { GLIBC_TUNABLES: process.env.GLIBC_TUNABLES ?? 'glibc.malloc.hugetlb=1' };
