import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, AuditMappings } from '@aos/access/published';
import { CallbackOperatorCommands } from './callbacks/callback-operator-commands.js';
import { interactionAudit } from './interaction/interaction.audit.js';

/** Interactions for operators and auditors: for the process that serves those. */
@Module({ imports: [AccessModule], providers: [CallbackOperatorCommands] })
export class InteractionAdministrationModule implements OnModuleInit {
  constructor(private readonly audit: AuditMappings) {}

  onModuleInit(): void {
    this.audit.register(interactionAudit);
  }
}
