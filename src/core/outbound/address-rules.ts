import ipaddr from 'ipaddr.js';

/**
 * `user`: URLs that any user may enter. `webhook`: receivers of events, which may be on this machine outside
 * production. `connection`: addresses of connections, which organization admins enter.
 */
export type OutboundPolicy = 'user' | 'webhook' | 'connection';

export interface AddressSettings {
  /** CIDRs that are allowed although their range is blocked; link-local and metadata addresses are always blocked. */
  allow: string[];
  /** Whether connections may use private addresses, and connections and webhooks loopback outside production. */
  connections: 'private' | 'public';
  /** In production, loopback is blocked. */
  production: boolean;
}

/** The reason for addresses that no setting can allow. */
export const LINK_LOCAL = 'is a link-local or metadata address';

/** The ranges of private networks. */
const PRIVATE_KINDS = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Metadata services of clouds: link-local for most, and the addresses of Azure, Alibaba, Oracle, AWS, Google and Scaleway. */
const METADATA_RANGES = [
  '169.254.0.0/16',
  'fe80::/10',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd00:c1::a9fe:a9fe/128',
  'fd20:ce::254/128',
  'fd00:42::42/128',
].map(parseRange);

/**
 * IPv6 prefixes that embed an IPv4 address, and the position of its bytes: NAT64, translated and compatible
 * addresses, 6to4, Teredo.
 */
const EMBEDDED_IPV4_PREFIXES: [Range, number, number?][] = [
  [parseRange('64:ff9b::/96'), 12],
  [parseRange('64:ff9b:1::/48'), 12],
  [parseRange('::ffff:0:0:0/96'), 12],
  [parseRange('::/96'), 12],
  [parseRange('2002::/16'), 2],
  [parseRange('2001::/32'), 4],
  [parseRange('2001::/32'), 12, 0xff],
];

const GLOBAL_IPV6_RANGE = parseRange('2000::/3');

/** Decides whether the server may call a numeric address. It is checked when a name is resolved and again when connecting. */
export class AddressRules {
  private readonly allowed: Range[];

  /** @throws Error when a CIDR of `allow` is invalid */
  constructor(private readonly settings: AddressSettings) {
    this.allowed = settings.allow.map(parseRange);
  }

  /** Returns why the address is blocked, as a predicate ("is a private address"); undefined when it is allowed. */
  findRefusal(text: string, policy: OutboundPolicy): string | undefined {
    if (!ipaddr.isValid(text)) return 'is not an address';
    const address = unmapIpv4(ipaddr.parse(text));
    if ([address, ...embeddedIpv4Addresses(address)].some(isMetadata)) return LINK_LOCAL;
    if (this.allowed.some((known) => isWithin(address, known))) return undefined;
    const kind = addressKind(address);
    if (kind === 'unicast') return undefined;
    if (policy !== 'user' && this.settings.connections === 'private') {
      if (kind === 'loopback' && !this.settings.production) return undefined;
      if (policy === 'connection' && PRIVATE_KINDS.has(kind)) return undefined;
    }
    return `is not a public address (${kind})`;
  }
}

/** Treats an IPv4-mapped IPv6 address as the IPv4 address. */
function unmapIpv4(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Returns the IPv4 addresses that an IPv6 address embeds: they are blocked even where the operator allows the IPv6 range. */
function embeddedIpv4Addresses(address: Address): Address[] {
  if (!(address instanceof ipaddr.IPv6)) return [];
  const bytes = address.toByteArray();
  return EMBEDDED_IPV4_PREFIXES.filter(([prefix]) => isWithin(address, prefix)).map(([, at, mask = 0]) =>
    ipaddr.fromByteArray(bytes.slice(at, at + 4).map((byte) => byte ^ mask)),
  );
}

function isMetadata(address: Address): boolean {
  return METADATA_RANGES.some((known) => isWithin(address, known));
}

/**
 * Only 2000::/3 is allocated for global unicast; translation and tunnel ranges within it have names of their own and
 * are blocked by them.
 */
function addressKind(address: Address): string {
  const kind = address.range();
  return kind === 'unicast' && address instanceof ipaddr.IPv6 && !isWithin(address, GLOBAL_IPV6_RANGE)
    ? 'reserved'
    : kind;
}

function isWithin(address: Address, [base, bits]: Range): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

function parseRange(cidr: string): Range {
  const [base, bits] = ipaddr.parseCIDR(
    cidr.includes('/') ? cidr : `${cidr}/${ipaddr.parse(cidr).kind() === 'ipv4' ? 32 : 128}`,
  );
  const address = unmapIpv4(base);
  return [address, address === base ? bits : Math.max(0, bits - 96)];
}
