import { ArtifactUrls } from './artifact-urls.js';

const id = 'art_00000000000000000000000001';
const urls = new ArtifactUrls({ publicUrl: 'https://svc.example', host: '0.0.0.0', port: 8080 });

describe('rule TE8: addresses of our own files', () => {
  it('are of exactly one form', () => {
    expect(urls.url(id)).toBe(`https://svc.example/v1/artifacts/${id}/content`);
    expect(urls.artifactAt(urls.url(id))).toBe(id);
  });

  it.each([
    `https://svc.example/v1/artifacts/${id}/content?x=1`,
    `https://svc.example/v1/artifacts/${id}/content#x`,
    `https://svc.example/v1/artifacts/${id}/content/`,
    `https://svc.example/v1/artifacts/${id}`,
    `https://svc.example/v1/artifacts/../artifacts/${id}/content`,
    `https://svc.example//v1/artifacts/${id}/content`,
    `https://svc.example:443/v1/artifacts/${id}/content`,
    `http://svc.example/v1/artifacts/${id}/content`,
    `HTTPS://svc.example/v1/artifacts/${id}/content`,
    `https://svc.example.evil.example/v1/artifacts/${id}/content`,
    `https://user@svc.example/v1/artifacts/${id}/content`,
    'https://svc.example/v1/artifacts/art_short/content',
    'https://svc.example/v1/artifacts//content',
    'https://svc.example/v1/artifacts/content',
  ])('%s is none', (url) => {
    expect(urls.artifactAt(url)).toBeNull();
  });
});
