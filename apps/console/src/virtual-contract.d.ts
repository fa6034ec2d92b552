/** Made from contract/openapi.yaml by tools/console/contract-plugin.mjs. */
declare module 'virtual:contract' {
  /** Permission -> operations, as a line of `GET /v1/skills/*` each. */
  export const permissions: Record<string, string>;
}
declare module '*.css';
