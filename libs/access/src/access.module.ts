import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Organizations } from './bootstrap/organizations.js';
import { AccessChanges } from './identity/access-changes.js';
import { AccessDecisions } from './identity/access-decisions.js';
import { ApiKeyIdentitySource } from './identity/api-key-identity-source.js';
import { Granted } from './identity/granted.js';
import { KeysWriter } from './keys/keys.writer.js';
import { Names } from './names/names.js';
import { OrganizationSalts } from './organization/salts.js';
import { AgentPrincipals } from './principal/agent-principals.js';
import { PrincipalReader } from './principal/principal-reader.js';
import { RoleReader } from './role/role-reader.js';

const shared = [
  AccessChanges, AccessDecisions, AgentPrincipals, ApiKeyIdentitySource, Granted, KeysWriter, Names, OrganizationSalts, Organizations, PrincipalReader, RoleReader,
];

@Module({ imports: [CqrsModule], providers: shared, exports: shared })
export class AccessModule {}
