import { OwnHeaders } from './own-headers.js';

describe('headers of the deployment itself (rule TE20)', () => {
  const own = new OwnHeaders({ wireToken: 'acme' });

  it.each(['X-Acme-Signature', 'x-acme-delivery-id', 'X-ACME-Callback-Token'])('%s carries no secret', (name) => {
    const reserved = { code: 'invalid_argument' };
    expect(() => {
      own.refuse({ header: name });
    }).toThrow(expect.objectContaining({ ...reserved, details: { argument: 'header', reason: 'reserved' } }));
    expect(() => {
      own.refuse({ headers: { 'X-Key': 'a secret', [name]: 'a secret' } });
    }).toThrow(expect.objectContaining({ ...reserved, details: { argument: 'headers', reason: 'reserved' } }));
  });

  it('leaves all other names', () => {
    own.refuse({ header: 'X-Acmecorp-Key', headers: { 'X-Key': 'a secret' } });
    own.refuse({});
  });
});
