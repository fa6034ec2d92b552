/** Which app this process is. */
export class ServedApp {
  constructor(
    readonly name: string,
    readonly version: string,
    readonly hasOwnMetricsPort: boolean,
  ) {}
}
