import { Module } from '@nestjs/common';
import { AccessReadersModule, PrincipalReader } from '@aos/access/published';
import { ActionChecks } from './action/action-checks.js';
import { SigningSecrets } from './action/signing-secrets.js';
import { FollowUps } from './agent/follow-ups.js';
import { CustodyWriter } from './resources/custody-writer.js';
import { People, Principals } from './definition/people.js';
import { DefinitionsReadingModule } from './definitions-reading.module.js';
import { MemoryEntries } from './memory/memory-entries.js';
import { MemoryErasure } from './memory-erasure/memory-erasure.js';
import { ResourceServices } from './resources/resource-services.js';

const parts = [
  People,
  ActionChecks,
  SigningSecrets,
  ResourceServices,
  FollowUps,
  CustodyWriter,
  MemoryEntries,
  MemoryErasure,
];

/** What the commands of definitions and blueprints need to check and write resources: belongs to blueprint-service. */
@Module({
  imports: [AccessReadersModule, DefinitionsReadingModule],
  providers: [{ provide: Principals, useExisting: PrincipalReader }, ...parts],
  exports: [DefinitionsReadingModule, ...parts],
})
export class DefinitionsWritingModule {}
