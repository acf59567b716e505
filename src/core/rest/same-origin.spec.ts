import type { Request } from 'express';
import { Env } from '../config/env.js';
import { assertSameOrigin } from './same-origin.js';

const requestTo = (host: string | undefined, headers: object, localAddress = '10.0.0.5', protocol = 'http'): Request =>
  ({ headers: { host, ...headers }, socket: { localAddress }, protocol }) as unknown as Request;

const isRefused = (request: Request, settings: Record<string, string> = {}): boolean => {
  try {
    assertSameOrigin(request, Env.parse({ NODE_ENV: 'test', ...settings }));
    return false;
  } catch (error) {
    expect(error).toMatchObject({ status: 403, code: 'CROSS_SITE' });
    return true;
  }
};

describe('without BASE_URL', () => {
  it.each([
    ['localhost:9081', {}],
    ['LOCALHOST:9081', {}],
    ['127.0.0.1:9081', {}],
    ['127.8.9.1', {}],
    ['[::1]:9081', {}],
    ['10.0.0.5:9081', {}],
    ['armature.internal:9081', { HOST: 'armature.internal' }],
  ])('a page of %s may call', (host, settings) => {
    const origin = new URL(`http://${host}`).origin;
    expect(isRefused(requestTo(host, { origin }), settings)).toBe(false);
    expect(isRefused(requestTo(host, { 'sec-fetch-site': 'same-origin' }), settings)).toBe(false);
  });

  it.each([
    ['a name that leads here', 'rebound.example:9081'],
    ['a name that contains a loopback address', '127.0.0.1.evil.example'],
    ['a name that looks like localhost', 'localhost.evil.example'],
    ['an address of another machine', '10.0.0.6:9081'],
    ['a user before a loopback address', 'evil@127.0.0.1'],
    ['no host', undefined],
  ])('%s is refused, also of its own page', (_, host) => {
    expect(isRefused(requestTo(host, { origin: `http://${host}` }))).toBe(true);
    expect(isRefused(requestTo(host, { 'sec-fetch-site': 'same-origin' }))).toBe(true);
  });

  it('an address of IPv4 is known on a socket of IPv6', () => {
    expect(isRefused(requestTo('10.0.0.5', { origin: 'http://10.0.0.5' }, '::ffff:10.0.0.5'))).toBe(false);
  });
});

describe('with BASE_URL', () => {
  const settings = { BASE_URL: 'https://armature.example/console/' };

  it('its origin alone may call, whatever the host is behind proxies', () => {
    expect(isRefused(requestTo('upstream:9081', { origin: 'https://armature.example' }), settings)).toBe(false);
    for (const origin of ['https://armature.example.evil', 'http://armature.example', 'http://localhost:9081'])
      expect(isRefused(requestTo('localhost:9081', { origin }), settings)).toBe(true);
  });
});
