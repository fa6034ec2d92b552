import { Inject, Injectable } from '@nestjs/common';
import { looksLikeId } from '@aos/kernel';
import { Settings, publicUrlOf } from '@aos/platform';

const end = '/content';

/** Addresses of files: what a content block refers to a file by (rule TE8). */
@Injectable()
export class ArtifactUrls {
  private readonly begin: string;

  constructor(@Inject(Settings) settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>) {
    this.begin = `${publicUrlOf(settings)}/v1/artifacts/`;
  }

  url(artifactId: string): string {
    return this.begin + artifactId + end;
  }

  /** Null for every address that `url` does not give, character for character. */
  artifactAt(url: string): string | null {
    if (!url.startsWith(this.begin) || !url.endsWith(end)) return null;
    const id = url.slice(this.begin.length, -end.length);
    return looksLikeId('art', id) ? id : null;
  }
}
