import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { CompactSession } from './compaction.handlers.js';

@Controller()
export class CompactionController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/sessions/:session_id/compact')
  @HttpCode(200)
  compact(@Who() who: Identity, @Param('session_id') sessionId: string): Promise<Reply<'compactSession'>> {
    return this.commands.execute(new CompactSession(who, { session_id: sessionId }));
  }
}
