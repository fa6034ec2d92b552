// How Node runs the services, wherever they are started: `npm start` and the image say the same (node-flags.spec.ts).

/**
 * The young generation (ADR 32), the growth of the heap between full collections (ADR 69), and the program's own code
 * on large pages (ADR 63). `silent`: where the system has none, the service starts without.
 */
export const nodeFlags = [
  '--enable-source-maps',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  '--heap-growing-percent=100',
  '--use-largepages=silent',
];

/** Large pages for what is allocated outside of V8's heap; other C libraries than glibc pass it over. */
export const nodeEnvironment = { GLIBC_TUNABLES: process.env.GLIBC_TUNABLES ?? 'glibc.malloc.hugetlb=1' };
