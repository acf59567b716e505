import { InvalidRequest } from '../../../core/errors/app-error.js';

interface Adapter {
  image: string;
  port: number;
}

const published = (name: string): string => `docker.io/meshery/meshery-${name}:stable-latest`;

/** The adapters that are published, with the ports that they listen on. */
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
/** Of an adapter that is none of these, unless the call names one. */
const OTHER_PORT = 10100;
const PORT = /^(?:.{0,253}:)?(\d{1,5})$/;

/** The adapters that can be deployed: those that are published, with the images that the settings name for them and for others. */
export function listAdapters(images: readonly string[]): Map<string, Adapter> {
  const adapters = new Map(Object.entries(PUBLISHED).map(([name, port]) => [name, { image: published(name), port }]));
  for (const setting of images) {
    const at = setting.indexOf('=');
    const name = setting.slice(0, at);
    adapters.set(name, { image: setting.slice(at + 1), port: adapters.get(name)?.port ?? OTHER_PORT });
  }
  return adapters;
}

/** The adapter that is meant: `istio`, `ISTIO` and `meshery-istio` are the same. @throws InvalidRequest naming those that are known */
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

/** A port, also as the end of an address; undefined for an empty text. @throws InvalidRequest */
export function parseAdapterPort(given: string): number | undefined {
  if (given.trim() === '') return undefined;
  const port = Number(PORT.exec(given.trim())?.[1] ?? 0);
  if (port >= 1 && port <= 65_535) return port;
  throw InvalidRequest.forField('/input/targetPort', 'must be a port from 1 to 65535', 'Send a port, such as 10000.');
}
