import { tokenAnswer } from './token-answer.decide.js';

const answer = (body: unknown, status = 200, issuer: string | null = null) =>
  tokenAnswer(status, typeof body === 'string' ? body : JSON.stringify(body), issuer);
const granted = { access_token: 'token-1', token_type: 'Bearer' };
const idToken = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;

describe('the answer of a token endpoint (rules TE25, TE26)', () => {
  it('brings tokens, and when they end', () => {
    expect(answer(granted)).toEqual({ granted: { accessToken: 'token-1', refreshToken: null, expiresIn: null } });
    expect(answer({ ...granted, token_type: 'bearer', refresh_token: 'again', expires_in: '60' })).toEqual({
      granted: { accessToken: 'token-1', refreshToken: 'again', expiresIn: 60 },
    });
    for (const expires_in of [-1, 'soon', 1e12, null])
      expect(answer({ ...granted, expires_in })).toMatchObject({ granted: { expiresIn: null } });
  });

  it('refuses by an error of OAuth', () => {
    expect(answer({ error: 'invalid_grant', error_description: 'it was used' }, 400)).toEqual({
      refused: 'invalid_grant',
    });
    expect(answer({ error: 'invalid_client' }, 401)).toEqual({ refused: 'invalid_client' });
  });

  it('says neither in all other cases, and nothing of what it held', () => {
    expect(answer({ error: 'Not <ours>' }, 400)).toEqual({ failed: 'status_400' });
    expect(answer({ error: 'invalid_grant' }, 500)).toEqual({ failed: 'status_500' });
    expect(answer(granted, 201)).toEqual({ failed: 'status_201' });
    for (const body of ['', '[]', 'null', { ...granted, access_token: '' }, { ...granted, access_token: 'a b' }])
      expect(answer(body)).toEqual({ failed: 'no_token' });
    expect(answer({ ...granted, access_token: 'x'.repeat(8193) })).toEqual({ failed: 'no_token' });
    expect(answer({ ...granted, token_type: 'mac' })).toEqual({ failed: 'token_type' });
  });

  it('is of the issuer, where an id token says whose it is', () => {
    const issuer = 'https://issuer.example.com';
    expect(answer({ ...granted, id_token: idToken({ iss: issuer }) }, 200, issuer)).toHaveProperty('granted');
    for (const id_token of [idToken({ iss: 'https://other.example.com' }), idToken({}), 'nonsense'])
      expect(answer({ ...granted, id_token }, 200, issuer)).toEqual({ failed: 'issuer' });
  });
});
