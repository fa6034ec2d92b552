import { Injectable } from '@nestjs/common';
import { ActionChecks } from '../action/action-checks.js';
import { SigningSecrets } from '../action/signing-secrets.js';
import { DefinitionLists } from '../definition/definition-lists.js';
import { People } from '../definition/people.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { SkillDirectory } from '../skill/skill-directory.js';

/** What kinds of resources ask of others: a kind is a constant, so it is handed these. */
@Injectable()
export class ResourceServices {
  constructor(
    readonly people: People,
    readonly skills: SkillDirectory,
    readonly actions: ActionChecks,
    readonly signing: SigningSecrets,
    readonly lists: DefinitionLists,
    readonly writer: DefinitionWriter,
  ) {}
}
