import { parseIp } from '../values/ip-address.js';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../values/name-rules.js';
import { type ResourceField, type FieldRule } from './resource-field.js';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const NOT_AN_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

export const endpoints: FieldRule = (place) => {
  for (const subset of place.at('subsets').items) {
    const addresses = [...subset.at('addresses').items, ...subset.at('notReadyAddresses').items];
    if (addresses.length === 0) subset.error('Required value: must specify `addresses` or `notReadyAddresses`');
    for (const address of addresses) {
      endpointIp(address.at('ip'));
      address.at('hostname').named(dnsLabel);
      nodeName(address.at('nodeName'));
    }
    const ports = subset.at('ports').items;
    for (const port of ports) {
      if (ports.length > 1) port.at('name').required();
      if ((port.at('port').number ?? 0) < 1 || (port.at('port').number ?? 0) > 65535)
        port.at('port').invalid('must be between 1 and 65535, inclusive');
      portDetails(port);
    }
  }
};

export const endpointSlice: FieldRule = (place) => {
  const type = place.at('addressType');
  type.oneOf(['FQDN', 'IPv4', 'IPv6'], true);
  for (const port of place.at('ports').items) portDetails(port);
  const ports = place.at('ports').items.map((port) => port.at('name'));
  if (new Set(ports.map(({ text }) => text)).size < ports.length) ports.at(-1)?.duplicate();
  for (const endpoint of place.at('endpoints').items) {
    const addresses = endpoint.at('addresses');
    addresses.required('must contain at least 1 address');
    if (addresses.items.length > 100) addresses.error('Too many: must have at most 100 items');
    for (const address of addresses.items) {
      if (type.text === 'FQDN') address.named(dnsSubdomain);
      else if (type.text === 'IPv4' || type.text === 'IPv6') endpointIp(address, type.text === 'IPv4' ? 4 : 6);
    }
    endpoint.at('hostname').named(dnsLabel);
    nodeName(endpoint.at('nodeName'));
  }
};

function portDetails(port: ResourceField): void {
  port.at('name').named(dnsLabel);
  port.at('protocol').oneOf(PROTOCOLS);
  applicationProtocol(port.at('appProtocol'));
}

export function applicationProtocol(place: ResourceField): void {
  if (typeof place.value !== 'string') return;
  const why = qualifiedName(place.text);
  if (why) place.invalid(why);
}

function endpointIp(place: ResourceField, family?: number): void {
  const address = parseIp(place.text, true);
  if (!address) place.invalid(NOT_AN_IP);
  else if (family !== undefined && address.family !== family) place.invalid(`must be an IPv${family} address`);
  else if (address.bits === 0n) place.invalid('may not be unspecified (0.0.0.0 or ::)');
  else if (address.family === 4 ? address.bits >> 24n === 127n : address.bits === 1n)
    place.invalid('may not be in the loopback range (127.0.0.0/8, ::1/128)');
}

function nodeName(place: ResourceField): void {
  const why = typeof place.value === 'string' ? dnsSubdomain(place.text) : undefined;
  if (why) place.invalid(why);
}
