/** What the program uses of `cli-progress`, which comes without types. */
declare module 'cli-progress' {
  type BarOptions = {
    stream?: NodeJS.WritableStream;
    format?: string;
    clearOnComplete?: boolean;
    hideCursor?: boolean;
    fps?: number;
  };
  type SingleBar = { start(total: number, startValue: number): void; update(value: number): void; stop(): void };
  const cliProgress: { SingleBar: new (options: BarOptions) => SingleBar };
  export default cliProgress;
}
