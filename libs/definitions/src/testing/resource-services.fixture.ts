import { Egress, type Clock, type Ids, type OpenedResponse, type PrincipalKind, type ReadStore } from '@aos/kernel';
import { CursorSeal, KeyRing, RateCharges, Sealer } from '@aos/platform';
import { ActionChecks } from '../action/action-checks.js';
import { SigningSecrets } from '../action/signing-secrets.js';
import { DefinitionLists } from '../definition/definition-lists.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { People, Principals } from '../definition/people.js';
import { Claims } from '../names/claims.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { ResourceServices } from '../resources/resource-services.js';
import { SchemaChecker } from '../schemas/schema-checker.js';
import { SkillDirectory } from '../skill/skill-directory.js';

/** Nothing leaves; addresses with `blocked` in them are refused. */
class NoEgress extends Egress {
  override open(): Promise<OpenedResponse> {
    return Promise.reject(new Error('nothing leaves this test'));
  }

  override sendMail(): Promise<never> {
    return Promise.reject(new Error('nothing leaves this test'));
  }

  override refusal(url: string): string | null {
    return url.includes('blocked') ? 'the address is not allowed' : null;
  }
}

class NoPrincipals extends Principals {
  override async kindOf(): Promise<PrincipalKind | null> {
    return null;
  }

  override async findFor(): Promise<null> {
    return null;
  }
}

export const anyKey = new KeyRing([{ keyId: 'k1', secret: Buffer.alloc(32, 7) }]);

interface Process {
  readStore: ReadStore;
  streams: DefinitionStreams;
  claims: Claims;
  writer: DefinitionWriter;
  clock: Clock;
  ids: Ids;
}

/** What kinds of resources ask of others, in one process of a test. */
export function resourceServices(
  { readStore, streams, claims, writer, clock, ids }: Process,
  {
    keys = anyKey,
    checker = new SchemaChecker(new RateCharges(() => undefined), clock),
    principals = new NoPrincipals(),
  }: { keys?: KeyRing; checker?: SchemaChecker; principals?: Principals } = {},
): ResourceServices {
  return new ResourceServices(
    new People(principals),
    new SkillDirectory(streams, claims),
    new ActionChecks(new NoEgress(), checker, { requireFeature: () => undefined }),
    new SigningSecrets(new Sealer(keys), ids),
    new DefinitionLists(readStore, streams, new CursorSeal(keys)),
    writer,
  );
}
