/** Work that is asked for often and done once at a time: asked again while it runs, it runs once more. */
export class Coalesced {
  private isRunning = false;
  private isAsked = false;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  ask(): void {
    this.isAsked = true;
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.isAsked) {
      this.isAsked = false;
      await this.work().catch(this.onTrouble);
    }
    this.isRunning = false;
  }
}
