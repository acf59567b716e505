import { type Json, isObject, type JsonObject } from '../../../core/json/json.js';
import { type ComposeField } from './compose-field.js';
import { scalarText } from './shape.js';

/** The maximum number of ports of one entry; a wider range is refused. */
const MAX_RANGE = 1000;

/** `"3000"` → [3000, 3000]; `"3000-3005"` → [3000, 3005]. Undefined when these are not ports from 1 to 65535. */
export function parsePortRange(text: string): [first: number, last: number] | undefined {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (from === undefined) return undefined;
  const [first, last] = [Number(from), Number(to)];
  return first >= 1 && last <= 65_535 && first <= last ? [first, last] : undefined;
}

/**
 * One entry of `ports` in its long form, with a range expanded to one entry for each port:
 * `[[ADDRESS:]PUBLISHED:]TARGET[/PROTOCOL]`, with ranges on either side, or a mapping.
 */
export function normalisePort(entry: Json, place: ComposeField): JsonObject[] {
  if (isObject(entry)) return normaliseMapping(entry, place);
  const [mapping = '', protocol = 'tcp'] = scalarText(entry).split('/');
  const address = /^(\[[^\]]*\]|[^:]*):(?=[^:]*:[^:]*$)/.exec(mapping);
  const ports = address ? mapping.slice(address[0].length) : mapping;
  const at = ports.lastIndexOf(':');
  const published = at < 0 ? '' : ports.slice(0, at);
  return expandRange({
    target: ports.slice(at + 1),
    published,
    protocol,
    more: { mode: 'ingress', ...(address?.[1] ? { host_ip: address[1].replace(/^\[|\]$/g, '') } : {}) },
    shown: scalarText(entry),
    place,
  });
}

function normaliseMapping(entry: JsonObject, place: ComposeField): JsonObject[] {
  const { target, published, protocol, ...more } = entry;
  return expandRange({
    target: scalarText(target ?? ''),
    published: published === undefined || published === null ? '' : scalarText(published),
    protocol: typeof protocol === 'string' && protocol !== '' ? protocol : 'tcp',
    more,
    shown: JSON.stringify(entry),
    place,
  });
}

interface Mapping {
  target: string;
  published: string;
  protocol: string;
  more: JsonObject;
  shown: string;
  place: ComposeField;
}

function expandRange({ target, published, protocol, more, shown, place }: Mapping): JsonObject[] {
  const targets = parsePortRange(target);
  const hosts = published === '' || published === '0' ? undefined : parsePortRange(published);
  const known = /^(tcp|udp|sctp)$/i.test(protocol);
  if (!targets || !known || (published !== '' && published !== '0' && !hosts)) {
    const unset = target === '' ? ' A variable in it may not be set.' : '';
    place.fault(
      `"${shown.slice(0, 80)}" is not a port mapping`,
      `Write [[address:]published:]target[/tcp|udp|sctp] with ports from 1 to 65535.${unset}`,
    );
    return [];
  }
  const [first, last] = targets;
  const count = last - first + 1;
  if (count > MAX_RANGE) {
    place.fault(`a range of ${count} ports`, `Publish at most ${MAX_RANGE} ports, or use network_mode: host.`);
    return [];
  }
  if (hosts && count > 1 && hosts[1] - hosts[0] + 1 !== count) {
    place.fault(
      `"${shown.slice(0, 80)}" maps ranges of different lengths`,
      'Give both sides the same number of ports.',
    );
    return [];
  }
  return Array.from({ length: count }, (_, index) => {
    const outside = hosts && (count > 1 ? String(hosts[0] + index) : published);
    return {
      ...more,
      target: first + index,
      ...(outside === undefined ? {} : { published: outside }),
      protocol: protocol.toLowerCase(),
    };
  });
}
