/** An IPv4 (32 bits) or IPv6 (128 bits) address. */
export interface IpAddress {
  family: 4 | 6;
  bits: bigint;
}

export interface IpNetwork {
  address: IpAddress;
  prefix: number;
}

const IPV4_IN_IPV6 = 0xffffn;

/**
 * Parses an address as Go does.
 *
 * @param sloppy accepts leading zeros in IPv4, as older fields of Kubernetes do
 */
export function parseIp(text: string, sloppy = false): IpAddress | undefined {
  if (text.length > 64) return undefined;
  if (!text.includes(':')) {
    const bits = ipv4(text, sloppy);
    return bits === undefined ? undefined : { family: 4, bits };
  }
  const bits = ipv6(text, sloppy);
  return bits === undefined ? undefined : { family: 6, bits };
}

/** Parses `address/prefix`; bits beyond the prefix may be set. */
export function parseCidr(text: string, sloppy = false): IpNetwork | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash), sloppy);
  const length = text.slice(slash + 1);
  const isPadded = length.length > 1 && length.startsWith('0');
  if (!address || !/^\d{1,9}$/.test(length) || (isPadded && !sloppy)) return undefined;
  return Number(length) > width(address) ? undefined : { address, prefix: Number(length) };
}

/** The network with all bits beyond its prefix cleared. */
export function masked({ address, prefix }: IpNetwork): IpNetwork {
  const rest = BigInt(width(address) - prefix);
  return { address: { ...address, bits: (address.bits >> rest) << rest }, prefix };
}

export function contains(network: IpNetwork, address: IpAddress): boolean {
  if (network.address.family !== address.family) return false;
  const rest = BigInt(width(address) - network.prefix);
  return network.address.bits >> rest === address.bits >> rest;
}

/** Whether it is an IPv4-mapped IPv6 address. */
export function isMapped({ family, bits }: IpAddress): boolean {
  return family === 6 && bits >> 32n === IPV4_IN_IPV6;
}

/** The canonical form of RFC 5952. */
export function ipText({ family, bits }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((rest) => String((bits >> rest) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => Number((bits >> BigInt(112 - index * 16)) & 0xffffn));
  let [start, length] = [-1, 1];
  for (let from = 0; from < 8; from++) {
    let to = from;
    while (to < 8 && groups[to] === 0) to++;
    if (to - from > length) [start, length] = [from, to - from];
  }
  const words = groups.map((group) => group.toString(16));
  if (start < 0) return words.join(':');
  return `${words.slice(0, start).join(':')}::${words.slice(start + length).join(':')}`;
}

export function width({ family }: IpAddress): number {
  return family === 4 ? 32 : 128;
}

function ipv4(text: string, sloppy: boolean): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    if (!/^\d+$/.test(part) || Number(part) > 255) return undefined;
    if (!sloppy && part.length > 1 && part.startsWith('0')) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

function ipv6(text: string, sloppy: boolean): bigint | undefined {
  const last = text.slice(text.lastIndexOf(':') + 1);
  if (last.includes('.')) {
    const tail = ipv4(last, sloppy);
    if (tail === undefined) return undefined;
    const groups = `${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
    return ipv6(text.slice(0, text.length - last.length) + groups, sloppy);
  }
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}
