import { parseCidr, parseIp } from '../values/ip-address.js';
import { dnsLabel, dnsSubdomain, portName } from '../values/name-rules.js';
import { applicationProtocol } from './endpoints.js';
import { ResourceField, type FieldRule } from './resource-field.js';
import { ipAddress, labels, labelSelector, portNumberOrName } from './values.js';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export const service: FieldRule = (place) => {
  const spec = place.at('spec');
  const type = spec.at('type').text || 'ClusterIP';
  spec.at('type').oneOf(TYPES);
  const headless = spec.at('clusterIP').text === 'None';
  const ports = spec.at('ports');
  if (type !== 'ExternalName' && !headless) ports.required();
  const many = ports.items.length > 1;
  for (const port of ports.items) servicePort(port, many, type);
  ResourceField.unique(ports.items.map((port) => port.at('name')));
  ResourceField.unique(ports.items, (port) => `${port.at('protocol').text || 'TCP'} ${port.at('port').number ?? ''}`);
  if (type === 'ExternalName') {
    const name = spec.at('externalName');
    if (name.required()) {
      const why = dnsSubdomain(name.text.replace(/\.$/, ''));
      if (why) name.invalid(why);
    }
    if (spec.has('clusterIP')) spec.at('clusterIP').forbidden("may not be set for services of type 'ExternalName'");
  } else if (spec.has('clusterIP') && !headless && !parseIp(spec.at('clusterIP').text))
    spec.at('clusterIP').invalid('must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
  labels(spec.at('selector'));
  spec.at('sessionAffinity').oneOf(['ClientIP', 'None']);
  const seconds = spec.at('sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (spec.at('sessionAffinity').text === 'ClientIP') seconds.within(1, 86400);
  for (const address of spec.at('externalIPs').items) ipAddress(address);
  servicePolicies(spec, type, headless);
};

function servicePolicies(spec: ResourceField, type: string, headless: boolean): void {
  const external = spec.at('externalTrafficPolicy');
  const isOutside = type === 'NodePort' || type === 'LoadBalancer' || spec.has('externalIPs');
  if (external.isGiven && !isOutside) external.invalid('may only be set for externally-accessible services');
  else external.oneOf(['Cluster', 'Local']);
  if (spec.at('internalTrafficPolicy').value !== undefined && type !== 'ExternalName')
    spec.at('internalTrafficPolicy').oneOf(['Cluster', 'Local'], true);
  for (const family of spec.at('ipFamilies').items) family.oneOf(['IPv4', 'IPv6'], true);
  ResourceField.unique(spec.at('ipFamilies').items);
  if (spec.at('ipFamilyPolicy').value !== undefined && type !== 'ExternalName')
    spec.at('ipFamilyPolicy').oneOf(['SingleStack', 'PreferDualStack', 'RequireDualStack'], true);
  if (headless && type !== 'ClusterIP' && type !== 'ExternalName')
    spec.at('clusterIP').invalid(`may not be set to 'None' for ${type} services`);
  const ranges = spec.at('loadBalancerSourceRanges');
  if (ranges.isGiven && type !== 'LoadBalancer') ranges.forbidden("may only be used when `type` is 'LoadBalancer'");
  const distribution = spec.at('trafficDistribution');
  if (distribution.value !== undefined) distribution.oneOf(['PreferClose', 'PreferSameZone', 'PreferSameNode'], true);
  if (spec.has('loadBalancerClass') && type !== 'LoadBalancer')
    spec.at('loadBalancerClass').forbidden("may only be used when `type` is 'LoadBalancer'");
  for (const range of ranges.items)
    if (!parseCidr(range.text.trim(), true))
      range.invalid('must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
}

function servicePort(port: ResourceField, many: boolean, type: string): void {
  if (many) port.at('name').required();
  port.at('name').named(dnsLabel);
  applicationProtocol(port.at('appProtocol'));
  const number = port.at('port');
  if ((number.number ?? 0) < 1 || (number.number ?? 0) > 65535)
    number.invalid('must be between 1 and 65535, inclusive');
  const target = port.at('targetPort');
  if (target.value !== undefined && !(target.value === 0 || target.value === '')) portNumberOrName(target);
  if (target.value === 0 && port.has('port') === false) target.invalid('must be between 1 and 65535, inclusive');
  port.at('protocol').oneOf(PROTOCOLS);
  if (port.has('nodePort') && type !== 'NodePort' && type !== 'LoadBalancer')
    port.at('nodePort').forbidden(`may not be used when \`type\` is '${type}'`);
}

export const ingress: FieldRule = (place) => {
  const spec = place.at('spec');
  if (!spec.has('rules') && !spec.at('defaultBackend').isObject)
    spec.invalid('either `defaultBackend` or `rules` must be specified');
  if (spec.at('defaultBackend').isObject) ingressBackend(spec.at('defaultBackend'));
  const ofClass = spec.at('ingressClassName').value === '' ? dnsSubdomain('') : undefined;
  if (ofClass) spec.at('ingressClassName').invalid(ofClass);
  spec.at('ingressClassName').named(dnsSubdomain);
  const byAnnotation = place.at('metadata', 'annotations', 'kubernetes.io/ingress.class');
  if (byAnnotation.isGiven && spec.has('ingressClassName') && byAnnotation.text !== spec.at('ingressClassName').text)
    byAnnotation.invalid('must match `ingressClassName` when both are specified');
  for (const tls of spec.at('tls').items) {
    for (const host of tls.at('hosts').items) {
      if (host.text === '') host.invalid(dnsSubdomain('') ?? '');
      hostName(host);
    }
    tls.at('secretName').named(dnsSubdomain);
  }
  for (const rule of spec.at('rules').items) {
    if (parseIp(rule.at('host').text)) rule.at('host').invalid('must be a DNS name, not an IP address');
    else hostName(rule.at('host'));
    const http = rule.at('http');
    if (!http.isObject) continue;
    http.at('paths').required();
    for (const path of http.at('paths').items) ingressPath(path);
  }
};

function hostName(host: ResourceField): void {
  host.named((name) => dnsSubdomain(name.startsWith('*.') ? name.slice(2) : name));
}

function ingressPath(path: ResourceField): void {
  const type = path.at('pathType');
  if (type.value === undefined || type.value === null) type.error('Required value: pathType must be specified');
  else if (!['Exact', 'Prefix', 'ImplementationSpecific'].includes(type.text))
    type.oneOf(['Exact', 'ImplementationSpecific', 'Prefix'], true);
  const where = path.at('path');
  const isImplementation = type.text === 'ImplementationSpecific';
  if (!isImplementation && !where.text.startsWith('/')) where.invalid('must be an absolute path');
  if (isImplementation && where.isGiven && !where.text.startsWith('/')) where.invalid('must be an absolute path');
  if (!isImplementation)
    for (const bad of ['//', '/./', '/../', '%2f', '%2F'])
      if (where.text.includes(bad)) where.invalid(`must not contain '${bad}'`);
  ingressBackend(path.at('backend'));
}

function ingressBackend(backend: ResourceField): void {
  const [target, resource] = [backend.at('service'), backend.at('resource')];
  if (resource.isObject && target.isObject) backend.invalid('cannot set both resource and service backends');
  else if (resource.isObject) for (const name of ['kind', 'name']) resource.at(name).required();
  else if (!target.at('name').isGiven) target.at('name').required();
  else {
    target.at('name').named(dnsLabel);
    const [name, number] = [target.at('port', 'name'), target.at('port', 'number')];
    if (name.isGiven && number.isGiven) target.invalid('cannot set both port name & port number');
    else if (name.isGiven) name.named(portName);
    else if (!number.isGiven) target.at('port').error('Required value: port name or number is required');
    else number.within(1, 65535);
  }
}

export const ingressClass: FieldRule = (place) => {
  const controller = place.at('spec', 'controller');
  if (controller.required() && !/^[^/]+\/.+/.test(controller.text))
    controller.invalid('must be a domain-prefixed path (such as "acme.io/foo")');
};

export const networkPolicy: FieldRule = (place) => {
  const spec = place.at('spec');
  labelSelector(spec.at('podSelector'));
  for (const [side, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const)
    for (const rule of spec.at(side).items) {
      for (const port of rule.at('ports').items) policyPort(port);
      for (const peer of rule.at(peers).items) policyPeer(peer);
    }
  const types = spec.at('policyTypes');
  if (types.items.length > 2) types.invalid('may not specify more than two policyTypes');
  else for (const type of types.items) type.oneOf(['Ingress', 'Egress'], true);
};

function policyPort(port: ResourceField): void {
  if (port.at('protocol').value !== undefined) port.at('protocol').oneOf(PROTOCOLS, true);
  const [first, last] = [port.at('port'), port.at('endPort')];
  if (typeof first.value === 'number') {
    first.within(1, 65535);
    last.within(first.value, 65535);
  } else if (typeof first.value === 'string') {
    const why = portName(first.text);
    if (why) first.invalid(why);
    if (last.value !== undefined) last.invalid('may not be specified when `port` is non-numeric');
  } else if (last.value !== undefined) last.invalid('may not be specified when `port` is not specified');
}

function policyPeer(peer: ResourceField): void {
  const block = peer.at('ipBlock');
  const others = ['podSelector', 'namespaceSelector'].map((name) => peer.at(name)).filter(({ isObject }) => isObject);
  for (const selector of others) labelSelector(selector);
  if (!block.isObject && others.length === 0) peer.error('Required value: must specify a peer');
  if (block.isObject && others.length > 0) peer.forbidden('may not specify both ipBlock and another peer');
  if (!block.isObject || !block.at('cidr').required()) return;
  for (const range of [block.at('cidr'), ...block.at('except').items])
    if (!parseCidr(range.text, true)) range.invalid('must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
}
