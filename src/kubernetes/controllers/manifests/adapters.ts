import { InvalidRequest } from '../../../core/errors/app-error.js';

interface Adapter {
  image: string;
  port: number;
}

const published = (name: string): string => `docker.io/meshery/meshery-${name}:stable-latest`;

/** The published adapters with their ports. */
const PUBLISHED: Readonly<Record<string, number>> = {
  istio: 10000,
  linkerd: 10001,
  consul: 10002,
  nsm: 10004,
  'app-mesh': 10005,
  'traefik-mesh': 10006,
  kuma: 10007,
  osm: 10009,
  'nginx-sm': 10010,
  cilium: 10012,
};
/** The default port of other adapters. */
const OTHER_PORT = 10100;
const PORT = /^(?:.{0,253}:)?(\d{1,5})$/;

/** Lists the adapters that can be deployed: the published ones, with images overridden or added by the settings. */
export function listAdapters(images: readonly string[]): Map<string, Adapter> {
  const adapters = new Map(Object.entries(PUBLISHED).map(([name, port]) => [name, { image: published(name), port }]));
  for (const setting of images) {
    const at = setting.indexOf('=');
    const name = setting.slice(0, at);
    adapters.set(name, { image: setting.slice(at + 1), port: adapters.get(name)?.port ?? OTHER_PORT });
  }
  return adapters;
}

/**
 * Normalizes the name of an adapter: `istio`, `ISTIO` and `meshery-istio` are equal.
 * @throws InvalidRequest listing the known names
 */
export function resolveAdapterName(given: string, adapters: ReadonlyMap<string, Adapter>): string {
  const name = given
    .trim()
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^meshery-/, '');
  if (adapters.has(name)) return name;
  const known = [...adapters.keys()].join(', ');
  throw InvalidRequest.forField('/input/adapter', `must be one of ${known}`, `Send one of ${known}.`);
}

/** Parses a port, or the port at the end of an address; undefined for an empty string. @throws InvalidRequest */
export function parseAdapterPort(given: string): number | undefined {
  if (given.trim() === '') return undefined;
  const port = Number(PORT.exec(given.trim())?.[1] ?? 0);
  if (port >= 1 && port <= 65_535) return port;
  throw InvalidRequest.forField('/input/targetPort', 'must be a port from 1 to 65535', 'Send a port, such as 10000.');
}
