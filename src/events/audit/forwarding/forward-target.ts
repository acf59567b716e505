/** The address of a collector. */
export type ForwardTarget =
  { kind: 'syslog'; transport: 'tcp' | 'tls' | 'udp'; host: string; port: number } | { kind: 'otlp'; url: string };

const TRANSPORTS = { 'syslog:': 'tcp', 'syslog+tls:': 'tls', 'syslog+udp:': 'udp' } as const;
const DEFAULT_PORTS = { tcp: 514, tls: 6514, udp: 514 } as const;

/** Parses AUDIT_FORWARD, which the settings have validated. */
export function parseForwardTarget(setting: string): ForwardTarget {
  const url = new URL(setting);
  if (url.protocol in TRANSPORTS) {
    const transport = TRANSPORTS[url.protocol as keyof typeof TRANSPORTS];
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return { kind: 'syslog', transport, host, port: Number(url.port) || DEFAULT_PORTS[transport] };
  }
  const address = new URL(setting.replace(/^otlp\+/, ''));
  if (address.pathname === '/') address.pathname = '/v1/logs';
  return { kind: 'otlp', url: address.href };
}
