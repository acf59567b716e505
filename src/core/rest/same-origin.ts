import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Env } from '../config/env.js';
import { Forbidden } from '../errors/app-error.js';

/**
 * Refuses what a page of another site, or a program without the headers of a browser, sends. Browsers set both headers, and scripts
 * cannot change them.
 * @throws Forbidden
 */
export function assertSameOrigin(request: Request, env: Env): void {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const own = ownOrigin(request, env);
  if (own === undefined)
    throw crossSite('this server is not known by the name in the header Host', 'Set BASE_URL to its public URL.');
  if (origin !== undefined && origin !== own)
    throw crossSite('the request comes from a page of another site', `Open ${own} instead.`);
  if (site !== undefined && site !== 'same-origin')
    throw crossSite('the request comes from a page of another site', `Open ${own} instead.`);
  if (origin === undefined && site === undefined)
    throw crossSite(
      'the request has neither of the headers Origin and Sec-Fetch-Site',
      'Programs sign in with POST /api/auth/login.',
    );
}

/** The origin of BASE_URL; without it that of the request, unless another site could have chosen its host name. */
export function ownOrigin(request: Request, env: Env): string | undefined {
  if (env.BASE_URL !== undefined) return new URL(env.BASE_URL).origin;
  const { host } = request.headers;
  const url = `${request.protocol}://${host ?? ''}`;
  if (!host || !/^[\w.:[\]-]+$/.test(host) || !URL.canParse(url)) return undefined;
  const { hostname, origin } = new URL(url);
  return isOwnHost(hostname.replace(/^\[|\]$/g, ''), request, env) ? origin : undefined;
}

function isOwnHost(name: string, { socket }: Request, env: Env): boolean {
  if (name === 'localhost' || name === env.HOST.toLowerCase()) return true;
  if (!ipaddr.isValid(name)) return false;
  const address = ipaddr.process(name);
  if (address.range() === 'loopback') return true;
  const { localAddress = '' } = socket;
  return ipaddr.isValid(localAddress) && ipaddr.process(localAddress).toString() === address.toString();
}

const crossSite = (detail: string, remedy: string): Forbidden => new Forbidden(detail, { code: 'CROSS_SITE', remedy });
