import { type Json, isObject, type JsonObject } from '../../../core/json/json.js';
import { type ComposeField } from './compose-field.js';
import { scalarText, parseBoolean } from './shape.js';

const drive = /^[A-Za-z]:[\\/]/;
const propagations = new Set(['shared', 'slave', 'private', 'rshared', 'rslave', 'rprivate']);
const consistencies = new Set(['cached', 'delegated', 'consistent']);

/** One entry of a service's `volumes` in its long form: `[SOURCE:]TARGET[:OPTIONS]` or a mapping. */
export function normaliseMount(entry: Json, place: ComposeField): JsonObject {
  if (isObject(entry)) return normaliseMapping(entry, place);
  const [source, target, options, ...more] = splitMount(scalarText(entry));
  if (source === '' || target === '' || options === '' || more.length > 0) {
    place.fault(
      `"${scalarText(entry).slice(0, 80)}" is not a volume mapping`,
      'Write [source:]target[:ro]. A variable in it may not be set.',
    );
    return { type: 'volume', target: '/' };
  }
  if (source === undefined || target === undefined) return { type: 'volume', target: source ?? '/' };
  const type = !isPath(source) ? 'volume' : source.startsWith('\\\\.\\pipe') ? 'npipe' : 'bind';
  // Compose creates a missing directory for the short form, and for the long form when configured.
  const mount: JsonObject = { type, source, target, ...(type === 'bind' ? { bind: { create_host_path: true } } : {}) };
  for (const option of options?.split(',') ?? []) applyOption(option, mount, place);
  return mount;
}

/** Whether a source is a host path and not the name of a volume. */
function isPath(source: string): boolean {
  return /^[./~\\]/.test(source) || drive.test(source);
}

function normaliseMapping(entry: JsonObject, place: ComposeField): JsonObject {
  const mount = { ...entry };
  if (typeof mount.target !== 'string' || mount.target === '') {
    place.fault('needs "target"', 'Give the path in the container.');
  }
  if (mount.read_only !== undefined) mount.read_only = parseBoolean(mount.read_only) ?? mount.read_only;
  if ((mount.type === 'bind' || mount.type === 'image') && !mount.source) {
    place.fault(`a mount of type ${mount.type} needs "source"`);
  }
  return mount;
}

function applyOption(option: string, mount: JsonObject, place: ComposeField): void {
  const bind = isObject(mount.bind) ? mount.bind : {};
  if (option === 'ro') mount.read_only = true;
  else if (option === 'nocopy') mount.volume = { nocopy: true };
  else if (option === 'z' || option === 'Z') mount.bind = { ...bind, selinux: option };
  else if (propagations.has(option)) mount.bind = { ...bind, propagation: option };
  else if (consistencies.has(option)) mount.consistency = option;
  else if (option !== 'rw')
    place.fault(`"${option.slice(0, 80)}" is not a volume option`, 'Write ro, rw, z, Z or nocopy.');
}

/** Splits at colons, except that of a Windows drive; `d:/data` alone is the volume `d`, because containers have no drives. */
function splitMount(entry: string): string[] {
  const found = splitAtColons(entry, drive);
  const [first = '', second = ''] = found;
  return /^[A-Za-z]:\//.test(first) && !/^[/A-Z]/.test(second) ? splitAtColons(entry) : found;
}

function splitAtColons(entry: string, whole?: RegExp): string[] {
  const found: string[] = [];
  let rest = entry;
  for (;;) {
    const at = rest.indexOf(':', whole?.test(rest) ? 2 : 0);
    if (at < 0) return [...found, rest];
    found.push(rest.slice(0, at));
    rest = rest.slice(at + 1);
  }
}
