import { outboundRefused } from './outbound-refused.js';

/** @throws InvalidRequest OUTBOUND_REFUSED unless it is an http or https URL without user information */
export function parseOutboundUrl(address: string | URL, base?: URL): URL {
  const text = String(address);
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (!url) throw outboundRefused('', 'it is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw outboundRefused(url.hostname, `${url.protocol.slice(0, -1)} is not http or https`);
  }
  if (url.username || url.password) {
    throw outboundRefused(
      url.hostname,
      'it carries a user name or password',
      'Leave the user out of the URL; send a header or use a credential.',
    );
  }
  return url;
}

/** @throws InvalidRequest OUTBOUND_REFUSED */
export function parseProxyUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw outboundRefused(url?.hostname ?? '', 'the proxy is not an http or https URL', 'Name an http or https proxy.');
  }
  return url.href;
}

/** Returns the host of a URL, an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
