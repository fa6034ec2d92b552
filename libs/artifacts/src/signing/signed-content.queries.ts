import { Injectable } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import { Clock, Refusal, invalidArgument, notFound, rfc3339, type Identity } from '@aos/kernel';
import { RateCharges } from '@aos/platform';
import { ApiKeyIdentitySource } from '@aos/access/published';
import { ArtifactContents, type ContentAnswer, type WantedContent } from '../reading/artifact-contents.js';
import { ArtifactDirectory } from '../reading/artifact-directory.js';
import { SignedUrls } from './signed-urls.js';

const lifeSecondsDefault = 300;
const lifeSecondsMax = 3_600;

/** Makes signed URLs, and reads by them (rule TE7). */
@Injectable()
export class SignedContentQueries {
  constructor(
    private readonly urls: SignedUrls,
    private readonly directory: ArtifactDirectory,
    private readonly contents: ArtifactContents,
    private readonly keys: ApiKeyIdentitySource,
    private readonly charges: RateCharges,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses  not_found; invalid_argument {argument: ttl_seconds} over an hour; permission_denied for a caller without a
   *          key.
   */
  async make(
    who: Identity,
    artifactId: string,
    ttlSeconds = lifeSecondsDefault,
  ): Promise<Reply<'createArtifactSignedUrl'>> {
    if (ttlSeconds > lifeSecondsMax) throw invalidArgument('ttl_seconds', `at most ${lifeSecondsMax} seconds`);
    await this.directory.visible(who, artifactId);
    if (who.apiKeyId === null) throw new Refusal('permission_denied', {}, 'only a key makes signed URLs');
    const expiresAt = this.clock.now() + ttlSeconds * 1000;
    return {
      url: this.urls.url({ orgId: who.orgId, artifactId, keyId: who.apiKeyId, expiresAt }),
      method: 'GET',
      expires_at: rfc3339(expiresAt),
    };
  }

  /**
   * The bytes, judged as if the key that made the URL had come now, and counted on its rate.
   *
   * Refuses  not_found for every cause: another text, a URL or key that expired, a key that was revoked, an artifact
   *          that is gone or out of the key's reach.
   */
  async content(token: string, requestId: string, wanted: WantedContent): Promise<ContentAnswer> {
    const claims = this.urls.open(token);
    if (!claims || claims.expiresAt <= this.clock.now()) throw notFound();
    const who = await this.keys.standing(claims.keyId);
    if (who?.orgId !== claims.orgId || !who.permissions.has('svc.resource.view')) throw notFound();
    this.charges.add(who, 1);
    const { state } = await this.directory.visible({ ...who, requestId, ip: null }, claims.artifactId);
    return this.contents.answer(state, wanted);
  }
}
