import ipaddr from 'ipaddr.js';

/** Whom an address counts as: of IPv6 the network, for a single host has 2^64 addresses to call from. */
export function toNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
