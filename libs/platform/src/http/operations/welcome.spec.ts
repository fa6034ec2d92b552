import { welcomeText } from './welcome.js';

describe('the text of the first page', () => {
  it.each([
    ['https', 'agents.example.com', 'https://agents.example.com/v1/me'],
    ['http', '[::1]:8080', 'http://[::1]:8080/v1/me'],
    ['http', 'a"; rm -rf /; "', 'http://127.0.0.1:8080/v1/me'],
  ])('names the address of the request, and a usual one for what is no host: %s %s', (protocol, host, address) => {
    const text = welcomeText(protocol, host, '1.0.0');
    expect(text).toContain(`curl -s ${address} `);
    expect(text).not.toContain('rm -rf');
  });
});
