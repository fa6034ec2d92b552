import { Module, type OnModuleInit } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Reactors, WriterProjections, commandHandlersIn } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { SessionsModule } from '@aos/sessions/published';
import { BindingsReadingModule } from './bindings-reading.module.js';
import { exchangeTimersProjection } from './exchange/timers.projection.js';
import { ExchangeIntake } from './exchanges/exchange-intake.js';
import { MessagesController } from './exchanges/messages.controller.js';
import * as messages from './exchanges/messages.handlers.js';
import { ReplyCarriers } from './exchanges/reply-carriers.js';
import { ReplySender } from './exchanges/reply-sender.js';
import { TurnEndsReactor } from './exchanges/turn-ends.reactor.js';
import { ArrivedMailReactor } from './mail/arrived-mail.reactor.js';
import { MailCarrier } from './exchanges/mail-carrier.js';
import { MailIntake } from './mail/mail-intake.js';

/** Messages and their answers: writes `exchange-` and `mailpace-`, and starts turns. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule, SessionsModule, BindingsReadingModule],
  controllers: [MessagesController],
  providers: [
    ...commandHandlersIn(messages),
    ExchangeIntake,
    MailIntake,
    MailCarrier,
    ReplyCarriers,
    ReplySender,
    Reactors,
    TurnEndsReactor,
    ArrivedMailReactor,
  ],
})
export class ExchangesModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(exchangeTimersProjection);
  }
}
