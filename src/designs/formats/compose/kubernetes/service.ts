import type { Json, JsonObject } from '../../../../core/json/json.js';
import { type ComposePort } from '../project.js';
import { exposedPorts, containerPortsOf } from './container.js';
import { definedMembers, type ServiceConversion, parseWholeNumber } from './conversion.js';
import { isDnsName, toServiceName } from './names.js';

const types: Record<string, string> = {
  clusterip: 'ClusterIP',
  nodeport: 'NodePort',
  loadbalancer: 'LoadBalancer',
  headless: 'ClusterIP',
};

/**
 * Creates the Service of a workload when it has ports, is requested to be headless or is referenced by name (a headless Service
 * needs no ports), and its Ingress.
 * @returns whether a Service was created
 */
export function convertService(conversion: ServiceConversion, isReached: boolean): boolean {
  const label = conversion.label('kompose.service.type')?.toLowerCase();
  if (label !== undefined && !Object.hasOwn(types, label)) {
    conversion.labelFault('kompose.service.type', 'clusterip, nodeport, loadbalancer or headless');
    return true;
  }
  const asked = types[label ?? 'clusterip'] ?? 'ClusterIP';
  const ports = portsOf(conversion, asked);
  const headless = label === 'headless' || (isReached && ports.length === 0);
  if (ports.length === 0 && !headless) return false;
  const type = headless ? 'ClusterIP' : asked;
  const name = toServiceName(conversion.name);
  const policy = conversion.label('kompose.service.external-traffic-policy')?.toLowerCase();
  conversion.add({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: conversion.labels },
    spec: definedMembers({
      type,
      clusterIP: headless ? 'None' : undefined,
      externalTrafficPolicy:
        policy !== undefined && type !== 'ClusterIP' ? (policy === 'local' ? 'Local' : 'Cluster') : undefined,
      ports,
      selector: conversion.labels,
    }),
  });
  const [first] = ports;
  if (first !== undefined && type !== 'LoadBalancer') convertIngress(conversion, name, Number(first.port));
  return true;
}

/**
 * Published ports with their published number. A Service that is not exposed also has the container ports, because other services
 * connect to these inside the cluster, as in Compose.
 */
function portsOf(conversion: ServiceConversion, type: string): JsonObject[] {
  const { service } = conversion;
  const published = (service.ports ?? []).map((port) => ({ port: outside(port), ...port }));
  const own = type === 'ClusterIP' ? containerPortsOf(conversion) : (service.expose ?? []).flatMap(exposedPorts);
  const ports = new Map<string, JsonObject>();
  for (const entry of [...published, ...own.map((port) => ({ ...port, port: port.target }))]) {
    const key = `${entry.port}/${entry.protocol}`;
    const before = ports.get(key);
    if (before === undefined) ports.set(key, portOf(entry, nodePort(conversion, type, ports.size)));
    else if (before.targetPort !== entry.target && published.includes(entry)) {
      conversion.warn(['ports'], `the port ${key} is published twice; only the first is kept`);
    }
  }
  return [...ports.values()];
}

function portOf(
  { port, target, protocol, app_protocol: appProtocol }: ComposePort & { port: number },
  nodePort?: number,
): JsonObject {
  return definedMembers({
    name: protocol === 'tcp' ? String(port) : `${port}-${protocol}`,
    port,
    targetPort: target,
    protocol: protocol.toUpperCase(),
    appProtocol: appProtocol !== undefined && isDnsName(appProtocol) ? appProtocol : undefined,
    nodePort,
  });
}

function outside({ published, target }: ComposePort): number {
  const port = Number(published?.split('-')[0] ?? 0);
  return port > 0 ? port : target;
}

function nodePort(conversion: ServiceConversion, type: string, index: number): number | undefined {
  const label = conversion.label('kompose.service.nodeport.port');
  if (label === undefined || type !== 'NodePort') return undefined;
  const text = label.split(/[;,]/)[index]?.trim();
  if (text === undefined || text === '') return undefined;
  const port = parseWholeNumber(text, 1);
  if (port !== undefined && port >= 30_000 && port <= 32_767) return port;
  conversion.warn(
    ['labels'],
    `the node port ${text.slice(0, 80)} is left to the cluster`,
    'Clusters take 30000 to 32767 unless configured otherwise.',
  );
  return undefined;
}

function convertIngress(conversion: ServiceConversion, name: string, port: number): void {
  const expose = conversion.label('kompose.service.expose');
  if (expose === undefined || expose === '' || expose.toLowerCase() === 'false') return;
  const addresses = expose.toLowerCase() === 'true' ? [''] : expose.split(',').map((address) => address.trim());
  const hosts = addresses.map((address) => address.split('/')[0] ?? '').filter((host) => host !== '');
  if (hosts.some((host) => !isDnsName(host.replace(/^\*\./, '')))) {
    conversion.labelFault('kompose.service.expose', 'true, or host names with an optional path: shop.example.com/cart');
    return;
  }
  const backend = { service: { name, port: { number: port } } };
  const rules: Json[] = addresses.map((address) => {
    const at = address.indexOf('/');
    const host = at < 0 ? address : address.slice(0, at);
    const path = at < 0 ? '/' : address.slice(at);
    return { ...(host === '' ? {} : { host }), http: { paths: [{ path, pathType: 'Prefix', backend }] } };
  });
  const secretName = conversion.label('kompose.service.expose.tls-secret');
  conversion.add({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, labels: conversion.labels },
    spec: definedMembers({
      ingressClassName: conversion.label('kompose.service.expose.ingress-class-name'),
      rules,
      tls: secretName === undefined ? undefined : [definedMembers({ hosts, secretName })],
    }),
  });
}
