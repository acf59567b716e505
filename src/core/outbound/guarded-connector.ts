import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import nodeTls, { type ConnectionOptions } from 'node:tls';
import { buildConnector } from 'undici';
import { type AddressRules, type OutboundPolicy } from './address-rules.js';
import { addressRefused } from './outbound-refused.js';

/** PEM texts and options of a TLS connection. */
export interface TlsOptions {
  ca?: string;
  cert?: string;
  key?: string;
  servername?: string;
  /** False disables verification of the server certificate. */
  rejectUnauthorized?: boolean;
}

/**
 * Opens sockets only to allowed addresses. It checks the addresses to which the socket then connects, so a name that
 * resolves differently afterwards (DNS rebinding) cannot bypass the rules.
 */
export function createGuardedConnector(
  rules: AddressRules,
  policy: OutboundPolicy,
  tls: TlsOptions = {},
  connectTimeoutMs = 5_000,
): buildConnector.connector {
  const options: ConnectionOptions & { timeout: number; lookup: LookupFunction } = {
    ...tls,
    timeout: connectTimeoutMs,
    lookup: createGuardedLookup(rules, policy),
  };
  const connect = buildConnector(options);
  let connectSecurely: buildConnector.connector | undefined;
  return (target, callback) => {
    const reason = isIP(target.hostname) ? rules.findRefusal(target.hostname, policy) : undefined;
    if (reason) return callback(addressRefused(target.hostname, reason), null);
    if (target.protocol !== 'https:') return connect(target, callback);
    try {
      // Reading the certificates costs more than the handshake, so all sockets share what was read of them.
      connectSecurely ??= buildConnector({ ...options, secureContext: nodeTls.createSecureContext(tls) });
    } catch (error) {
      return callback(error as Error, null);
    }
    connectSecurely(target, callback);
  };
}

function createGuardedLookup(rules: AddressRules, policy: OutboundPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const open = addresses.filter(({ address }) => !rules.findRefusal(address, policy));
      const first = open[0];
      if (!first) return callback(refusedNameError(hostname, addresses[0]?.address ?? '', rules, policy), '', 0);
      if (options.all) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

/** The error does not contain the address, because internal addresses of a name must not be revealed. */
function refusedNameError(hostname: string, address: string, rules: AddressRules, policy: OutboundPolicy) {
  return addressRefused(hostname, rules.findRefusal(address, policy) ?? 'is unknown');
}
