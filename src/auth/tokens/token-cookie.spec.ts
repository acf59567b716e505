import { readTokenCookie } from './token-cookie.js';

describe('the cookie of a token', () => {
  it('is read where there is no other sign of who calls', () => {
    expect(readTokenCookie({ cookie: 'token=abc' })).toBe('abc');
    expect(readTokenCookie({ cookie: 'a=1; token=abc=; b=2', 'user-agent': 'Go-http-client/1.1' })).toBe('abc=');
    expect(readTokenCookie({})).toBeUndefined();
    expect(readTokenCookie({ cookie: 'token=' })).toBeUndefined();
    expect(readTokenCookie({ cookie: 'xtoken=abc; Token=abc' })).toBeUndefined();
    expect(readTokenCookie({ cookie: 'token=a; token=b' })).toBeUndefined();
    expect(readTokenCookie({ cookie: 'token=abc', authorization: 'Bearer x' })).toBeUndefined();
  });

  it.each([
    { origin: 'https://evil.example' },
    { referer: 'https://evil.example/' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-dest': 'image' },
    { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' },
  ])('is not read from a browser, which sends %j', (headers) => {
    expect(readTokenCookie({ cookie: 'token=abc', ...headers })).toBeUndefined();
  });
});
