import {
  contains,
  type IpAddress,
  ipText,
  type IpNetwork,
  isMapped,
  masked,
  parseCidr,
  parseIp,
} from '../values/ip-address.js';
import { isRequestUri } from '../values/text-formats.js';
import type { CelFunction, CelFunctions } from './run.js';
import { CelError, CelOpaque, type CelValue, PlainList, PlainMap } from './values.js';

interface Url {
  scheme: string;
  host: string;
  path: string;
  query: string;
}

export const NETWORK_FUNCTIONS: CelFunctions = {
  url: ([text]) => {
    if (typeof text !== 'string') return undefined;
    if (!isRequestUri(text))
      throw new CelError(`URL parse error during conversion from string: ${text}`, 'URL parse error');
    return new CelOpaque('URL', urlOf(text));
  },
  isURL: ([text]) => (typeof text === 'string' ? isRequestUri(text) : undefined),
  ip: ([text]) => {
    if (typeof text !== 'string') return undefined;
    const address = plainIp(text);
    if (!address) throw new CelError(`IP Address ${JSON.stringify(text)} parse error`, 'IP Address parse error');
    return new CelOpaque('IP', address);
  },
  isIP: ([text]) => (typeof text === 'string' ? plainIp(text) !== undefined : undefined),
  'ip.isCanonical': ([text]) => {
    const address = typeof text === 'string' ? plainIp(text) : undefined;
    if (!address) throw new CelError('IP Address parse error');
    return ipText(address) === text;
  },
  cidr: ([text]) => {
    if (typeof text !== 'string') return undefined;
    const network = plainCidr(text);
    if (!network) throw new CelError(`network address parse error: ${text}`, 'network address parse error');
    return new CelOpaque('CIDR', network);
  },
  isCIDR: ([text]) => (typeof text === 'string' ? plainCidr(text) !== undefined : undefined),
};

export const NETWORK_METHODS: CelFunctions = {
  getScheme: urlMethod(({ scheme }) => scheme),
  getHost: urlMethod(({ host }) => host),
  getHostname: urlMethod(({ host }) => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')),
  getPort: urlMethod(({ host }) => /:(\d*)$/.exec(host)?.[1] ?? ''),
  getEscapedPath: urlMethod(({ path }) => path),
  getQuery: urlMethod(({ query }) => {
    const map = new PlainMap();
    const parameters = new URLSearchParams(query);
    for (const key of new Set(parameters.keys())) map.set(key, new PlainList(parameters.getAll(key)));
    return map;
  }),
  family: ipMethod(({ family }) => BigInt(family)),
  isUnspecified: ipMethod(({ bits }) => bits === 0n),
  isLoopback: ipMethod(({ family, bits }) => (family === 4 ? bits >> 24n === 127n : bits === 1n)),
  isLinkLocalMulticast: ipMethod(isLinkLocalMulticast),
  isLinkLocalUnicast: ipMethod(isLinkLocalUnicast),
  isGlobalUnicast: ipMethod(isGlobalUnicast),
  ip: cidrMethod(({ address }) => new CelOpaque('IP', address)),
  prefixLength: cidrMethod(({ prefix }) => BigInt(prefix)),
  masked: cidrMethod((network) => new CelOpaque('CIDR', masked(network))),
  containsIP: cidrMethod((network, other) => {
    const address = typeof other === 'string' ? plainIp(other) : ipIn(other);
    if (!address) throw new CelError('IP Address parse error');
    return contains(network, address);
  }),
  containsCIDR: cidrMethod((network, other) => {
    const inner = typeof other === 'string' ? plainCidr(other) : cidrIn(other);
    if (!inner) throw new CelError('network address parse error');
    return inner.prefix >= network.prefix && contains(network, masked(inner).address);
  }),
};

/** The result of `string()` for an address or network; undefined for other values. */
export function networkText(value: CelOpaque): string | undefined {
  const [address, network] = [ipIn(value), cidrIn(value)];
  if (network) return `${ipText(network.address)}/${network.prefix}`;
  return address && ipText(address);
}

function urlMethod(work: (url: Url) => CelValue): CelFunction {
  return ([url]) => (url instanceof CelOpaque && url.type === 'URL' ? work(url.content as Url) : undefined);
}

function ipMethod(work: (address: IpAddress) => CelValue): CelFunction {
  return ([value]) => {
    const address = ipIn(value);
    return address && work(address);
  };
}

function cidrMethod(work: (network: IpNetwork, other: CelValue | undefined) => CelValue): CelFunction {
  return ([value, other]) => {
    const network = cidrIn(value);
    return network && work(network, other);
  };
}

function ipIn(value: CelValue | undefined): IpAddress | undefined {
  return value instanceof CelOpaque && value.type === 'IP' ? (value.content as IpAddress) : undefined;
}

function cidrIn(value: CelValue | undefined): IpNetwork | undefined {
  return value instanceof CelOpaque && value.type === 'CIDR' ? (value.content as IpNetwork) : undefined;
}

/** Kubernetes' CEL library refuses IPv4-mapped IPv6 addresses. */
function plainIp(text: string): IpAddress | undefined {
  const address = parseIp(text);
  return address && !isMapped(address) ? address : undefined;
}

function plainCidr(text: string): IpNetwork | undefined {
  const network = parseCidr(text);
  return network && !isMapped(network.address) ? network : undefined;
}

function urlOf(text: string): Url {
  const [, scheme = '', host = '', path = '', query = ''] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?]*))?([^?]*)(?:\?(.*))?/s.exec(text) ?? [];
  return { scheme: scheme.toLowerCase(), host: host.slice(host.lastIndexOf('@') + 1), path, query };
}

function isLinkLocalUnicast({ family, bits }: IpAddress): boolean {
  return family === 4 ? bits >> 16n === 0xa9fen : bits >> 118n === 0x3fan;
}

function isLinkLocalMulticast({ family, bits }: IpAddress): boolean {
  return family === 4 ? bits >> 8n === 0xe00000n : (bits >> 112n) % 16n === 2n && bits >> 120n === 0xffn;
}

function isGlobalUnicast(address: IpAddress): boolean {
  const { family, bits } = address;
  const isMulticast = family === 4 ? bits >> 28n === 14n : bits >> 120n === 0xffn;
  const isLoopback = family === 4 ? bits >> 24n === 127n : bits === 1n;
  const isBroadcast = family === 4 && bits === 0xffffffffn;
  return bits !== 0n && !isMulticast && !isLoopback && !isBroadcast && !isLinkLocalUnicast(address);
}
