import { type Json, isObject, type JsonObject } from '../../../core/json/json.js';
import type { ComposeField } from './compose-field.js';
import { normaliseMount } from './long-mount.js';
import { normalisePort, parsePortRange } from './long-port.js';
import { scalarText, parseBoolean } from './shape.js';
import { splitShellWords } from './shell-words.js';

/** The maximum number of ports of one service, with ranges expanded. */
const MAX_PORTS = 1000;

type Normalise = (value: Json, place: ComposeField) => Json;

const asList: Normalise = (value) => (typeof value === 'string' ? [value] : value);
const asFlag: Normalise = (value) => parseBoolean(value) ?? value;

/** `["A=1", "B"]` or `{A: 1, B: null}` → `{A: "1", B: null}`. */
const pairs: Normalise = (value) => {
  const entries: [string, Json][] = Array.isArray(value)
    ? value.map((item) => split(scalarText(item), '='))
    : Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(
    entries.map(([key, member]): [string, Json] => [key, member === null ? null : scalarText(member)]),
  );
};
const filledPairs: Normalise = (value, place) =>
  Object.fromEntries(Object.entries(pairs(value, place) as JsonObject).map(([key, member]) => [key, member ?? '']));

const hosts: Normalise = (value) => {
  const addresses = new Map<string, Json[]>();
  const entries: [string, Json][] = Array.isArray(value)
    ? value.map((item) => split(scalarText(item), scalarText(item).includes('=') ? '=' : ':'))
    : Object.entries(isObject(value) ? value : {});
  for (const [host, address] of entries) {
    addresses.set(host, [...(addresses.get(host) ?? []), ...(Array.isArray(address) ? address : [address])]);
  }
  return Object.fromEntries(addresses);
};

const command: Normalise = (value, place) => {
  if (typeof value !== 'string') return value;
  const words = splitShellWords(value);
  if (words === undefined) place.fault('has a quote that is not closed', 'Close it, or write the command as a list.');
  return words ?? value;
};

const named =
  (member: Json): Normalise =>
  (value) =>
    Array.isArray(value) ? Object.fromEntries(value.map((item) => [scalarText(item), member])) : value;

const dependencies: Normalise = (value, place) => {
  const all = named({})(value, place);
  const defaults = { condition: 'service_started', required: true };
  return toMapping(all, (member) =>
    isObject(member) ? { ...defaults, ...withFlags(member, 'restart', 'required') } : member,
  );
};

const fileReferences: Normalise = (value, place) =>
  normaliseItems(value, place, (item, at) => {
    if (!isObject(item)) return { source: item };
    if (item.source === undefined) at.fault('needs "source"', 'Name the config or secret of the top level.');
    if (item.mode === undefined) return item;
    const mode =
      at.octal(at.at('mode').pointer) ?? (typeof item.mode === 'string' ? parseInt(item.mode, 8) : item.mode);
    if (!Number.isInteger(mode) || Number(mode) < 0 || Number(mode) > 0o777) {
      at.at('mode').fault('must be octal permissions such as 0440');
    }
    return { ...item, mode };
  });

const build: Normalise = (value, place) => {
  if (!isObject(value)) return { context: value };
  const fields = { ...withFlags(value, 'no_cache', 'pull', 'privileged') };
  return normaliseMembers(
    fields,
    { args: pairs, labels: filledPairs, additional_contexts: filledPairs, extra_hosts: hosts, secrets: fileReferences },
    place,
  );
};

const hooks: Normalise = (value, place) =>
  normaliseItems(value, place, (item, at) =>
    isObject(item) ? normaliseMembers(withFlags(item, 'privileged'), { command, environment: pairs }, at) : item,
  );

const ports: Normalise = (value, place) => {
  if (!Array.isArray(value)) return value;
  const long: Json[] = [];
  for (const [index, item] of value.entries()) {
    if (long.length <= MAX_PORTS) long.push(...normalisePort(item, place.at(index)));
  }
  if (long.length > MAX_PORTS) place.fault(`has more than ${MAX_PORTS} ports`, 'Use network_mode: host.');
  return long;
};

const serviceFields: Record<string, Normalise> = {
  annotations: filledPairs,
  attach: asFlag,
  build,
  command,
  configs: fileReferences,
  depends_on: dependencies,
  deploy: (value, place) => normaliseMembers(isObject(value) ? value : {}, { labels: filledPairs }, place),
  devices: (value, place) => normaliseItems(value, place, (item) => (typeof item === 'string' ? deviceOf(item) : item)),
  dns: asList,
  dns_search: asList,
  entrypoint: command,
  env_file: (value, place) =>
    normaliseItems(asList(value, place), place, (item) => ({
      required: true,
      ...(isObject(item) ? withFlags(item, 'required') : { path: item }),
    })),
  environment: pairs,
  expose: (value, place) => normaliseItems(value, place, (item, at) => normaliseExposedPort(scalarText(item), at)),
  extends: (value) => (isObject(value) ? value : { service: value }),
  extra_hosts: hosts,
  gpus: (value) => (value === 'all' ? [{ capabilities: ['gpu'], count: 'all' }] : value),
  healthcheck: (value) => {
    if (!isObject(value)) return value;
    const check = withFlags(value, 'disable');
    return typeof check.test === 'string' ? { ...check, test: ['CMD-SHELL', check.test] } : check;
  },
  init: asFlag,
  label_file: asList,
  labels: filledPairs,
  models: named(null),
  networks: named(null),
  oom_kill_disable: asFlag,
  ports,
  post_start: hooks,
  pre_start: hooks,
  pre_stop: hooks,
  privileged: asFlag,
  read_only: asFlag,
  secrets: fileReferences,
  stdin_open: asFlag,
  sysctls: filledPairs,
  tmpfs: asList,
  tty: asFlag,
  volumes: (value, place) => normaliseItems(value, place, (item, at) => normaliseMount(item, at)),
};

/** Converts every key of a service to its long form: `"80:8080"` → `{target: 8080, published: "80", protocol: "tcp"}` and so on. */
export function normaliseService(service: JsonObject, place: ComposeField): JsonObject {
  return normaliseMembers(service, serviceFields, place);
}

/** As `normaliseService`, for a top-level network, volume, config, secret or model. */
export function normaliseResource(resource: Json, place: ComposeField): JsonObject {
  if (!isObject(resource)) return {};
  const { external, ...rest } = resource;
  const long = normaliseMembers(
    withFlags(rest, 'internal', 'attachable', 'enable_ipv4', 'enable_ipv6'),
    { labels: filledPairs, driver_opts: filledPairs },
    place,
  );
  if (external === undefined) return long;
  return isObject(external) ? { ...external, ...long, external: true } : { ...long, external: asFlag(external, place) };
}

function normaliseMembers(object: JsonObject, fields: Record<string, Normalise>, place: ComposeField): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      const normalise = Object.hasOwn(fields, key) ? fields[key] : undefined;
      return [key, normalise ? normalise(value, place.at(key)) : value];
    }),
  );
}

function normaliseItems(value: Json, place: ComposeField, change: (item: Json, at: ComposeField) => Json): Json {
  return Array.isArray(value) ? value.map((item, index) => change(item, place.at(index))) : value;
}

function toMapping(value: Json, change: (member: Json) => Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member)]));
}

function withFlags(object: JsonObject, ...keys: string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, keys.includes(key) ? (parseBoolean(value) ?? value) : value]),
  );
}

function split(text: string, separator: string): [string, string | null] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function deviceOf(device: string): JsonObject {
  const [source = '', target = source, permissions = 'rwm'] = device.split(':');
  return { source, target, permissions };
}

function normaliseExposedPort(port: string, place: ComposeField): string {
  const [numbers = '', protocol] = port.split('/');
  if (parsePortRange(numbers) === undefined || (protocol !== undefined && !/^(tcp|udp|sctp)$/i.test(protocol))) {
    place.fault(`"${port.slice(0, 80)}" is not a port`, 'Write a port from 1 to 65535, or a range such as 3000-3005.');
  }
  return port;
}
