import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, AuditMappings } from '@aos/access/published';
import { proposalAudit } from './proposal/proposal.audit.js';
import { routineAudit } from './routine/routine.audit.js';

/** Routines and proposals for auditors: for the process that serves those. */
@Module({ imports: [AccessModule] })
export class RoutineAdministrationModule implements OnModuleInit {
  constructor(private readonly audit: AuditMappings) {}

  onModuleInit(): void {
    this.audit.register(routineAudit);
    this.audit.register(proposalAudit);
  }
}
