import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RebuildProjection, VerifyProjections } from './rebuilds.commands.js';
import { Rebuilds, type VerifyAnswer } from './rebuilds.js';

@CommandHandler(VerifyProjections)
export class VerifyProjectionsHandler implements ICommandHandler<VerifyProjections> {
  constructor(private readonly rebuilds: Rebuilds) {}

  execute(): Promise<VerifyAnswer> {
    return this.rebuilds.verify();
  }
}

@CommandHandler(RebuildProjection)
export class RebuildProjectionHandler implements ICommandHandler<RebuildProjection> {
  constructor(private readonly rebuilds: Rebuilds) {}

  execute({ input }: RebuildProjection): Promise<{ rebuilding: string[] }> {
    return this.rebuilds.rebuild(input.projection ?? '');
  }
}
