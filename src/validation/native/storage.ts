import { configKey, dnsSubdomain, qualifiedName } from '../values/name-rules.js';
import { type ResourceField, type FieldRule } from './resource-field.js';
import { nodeSelector } from './node-selectors.js';
import { amountOf, labelSelector } from './values.js';

const ACCESS = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const MAX_DATA_BYTES = 1024 * 1024;

/** The required key of Secrets by type. */
const SECRET_KEYS: Record<string, string> = {
  'kubernetes.io/dockercfg': '.dockercfg',
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
  'kubernetes.io/ssh-auth': 'ssh-privatekey',
};

export const configMap: FieldRule = (place) => {
  const [data, binary] = [place.at('data'), place.at('binaryData')];
  let size = 0;
  for (const [key, value] of [...data.entries, ...binary.entries]) {
    const why = configKey(key);
    if (why) value.invalid(why);
    size += Buffer.byteLength(value.text, value.pointer.startsWith('/binaryData') ? 'base64' : 'utf8');
  }
  for (const [key, value] of data.entries)
    if (binary.at(key).value !== undefined) value.invalid('duplicate of key present in binaryData');
  if (size > MAX_DATA_BYTES) data.error(`Too long: may not be more than ${MAX_DATA_BYTES} bytes`);
};

export const secret: FieldRule = (place) => {
  const [data, texts] = [place.at('data'), place.at('stringData')];
  let size = 0;
  for (const [key, value] of [...data.entries, ...texts.entries]) {
    const why = configKey(key);
    if (why) value.invalid(why);
    size += Buffer.byteLength(value.text, value.pointer.startsWith('/data') ? 'base64' : 'utf8');
  }
  if (size > MAX_DATA_BYTES) data.error(`Too long: may not be more than ${MAX_DATA_BYTES} bytes`);
  const has = (key: string): boolean => texts.at(key).value !== undefined || data.at(key).value !== undefined;
  const type = place.at('type').text;
  const key = SECRET_KEYS[type];
  if (key !== undefined && !(texts.has(key) || data.has(key))) data.at(key).error('Required value');
  else if (key?.startsWith('.docker')) dockerConfig(data.at(key), texts.at(key));
  if (type === 'kubernetes.io/basic-auth' && !has('username') && !has('password'))
    data.at('username').error('Required value');
  if (type === 'kubernetes.io/tls')
    for (const name of ['tls.crt', 'tls.key']) if (!has(name)) data.at(name).error('Required value');
  const account = place.at('metadata', 'annotations', 'kubernetes.io/service-account.name');
  if (type === 'kubernetes.io/service-account-token') account.required();
};

function dockerConfig(encoded: ResourceField, plain: ResourceField): void {
  const text = plain.text || Buffer.from(encoded.text, 'base64').toString();
  try {
    JSON.parse(text);
  } catch {
    encoded.error('Invalid value: "<secret contents redacted>": must be JSON');
  }
}

export const persistentVolumeClaim: FieldRule = (place) => claimSpec(place.at('spec'));

export function claimSpec(spec: ResourceField): void {
  accessModes(spec.at('accessModes'));
  labelSelector(spec.at('selector'));
  const size = spec.at('resources', 'requests', 'storage');
  const amount = amountOf(size);
  if (size.value === undefined) size.error('Required value');
  else if (amount !== undefined && amount <= 0n) size.invalid('must be greater than zero');
  const limit = amountOf(spec.at('resources', 'limits', 'storage'));
  if (amount !== undefined && limit !== undefined && amount > limit)
    size.invalid('must be less than or equal to storage limit');
  spec.at('storageClassName').named(dnsSubdomain);
  if (spec.at('volumeMode').value !== undefined) spec.at('volumeMode').oneOf(['Block', 'Filesystem'], true);
}

function accessModes(modes: ResourceField): void {
  if (!modes.required('at least 1 access mode is required')) return;
  for (const mode of modes.items) mode.oneOf(ACCESS, true);
  const alone = modes.items.some((mode) => mode.text === 'ReadWriteOncePod');
  if (alone && modes.items.length > 1) modes.forbidden('may not use ReadWriteOncePod with other access modes');
}

export const persistentVolume: FieldRule = (place) => {
  const spec = place.at('spec');
  const capacity = spec.at('capacity', 'storage');
  if (!spec.at('capacity').entries.length) spec.at('capacity').error('Required value');
  else if (capacity.value === undefined) spec.at('capacity').error('Unsupported value: supported values: "storage"');
  else if ((amountOf(capacity) ?? 1n) <= 0n) capacity.invalid('must be greater than zero');
  accessModes(spec.at('accessModes'));
  spec.at('persistentVolumeReclaimPolicy').oneOf(['Delete', 'Recycle', 'Retain']);
  if (spec.at('volumeMode').value !== undefined) spec.at('volumeMode').oneOf(['Block', 'Filesystem'], true);
  spec.at('storageClassName').named(dnsSubdomain);
  const affinity = spec.at('nodeAffinity', 'required');
  if (affinity.isObject) nodeSelector(affinity);
  const known = new Set(['capacity', 'claimRef', 'nodeAffinity', 'resources']);
  const sources = spec.entries.filter(([name, source]) => source.isObject && !known.has(name));
  if (sources.length === 0) spec.error('Required value: must specify a volume type');
  for (const [, source] of sources.slice(1)) source.forbidden('may not specify more than 1 volume type');
  const [name, source] = sources[0] ?? [];
  const needed: Record<string, string[]> = {
    hostPath: ['path'],
    local: ['path'],
    nfs: ['server', 'path'],
    csi: ['driver', 'volumeHandle'],
  };
  for (const member of needed[name ?? ''] ?? []) source?.at(member).required();
  if (name === 'local' && !spec.at('nodeAffinity', 'required').isObject)
    spec.at('nodeAffinity').error('Required value: Local volume requires node affinity');
};

export const storageClass: FieldRule = (place) => {
  const provisioner = place.at('provisioner');
  if (provisioner.required()) provisioner.named((name) => qualifiedName(name.toLowerCase()));
  if (place.at('reclaimPolicy').value !== undefined) place.at('reclaimPolicy').oneOf(['Delete', 'Recycle', 'Retain']);
  if (place.at('volumeBindingMode').value !== undefined)
    place.at('volumeBindingMode').oneOf(['Immediate', 'WaitForFirstConsumer'], true);
};
