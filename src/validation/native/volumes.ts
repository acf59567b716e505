import { dnsLabel } from '../values/name-rules.js';
import type { ResourceField } from './resource-field.js';
import { claimSpec } from './storage.js';
import { amountOf } from './values.js';

/** The required fields of each volume source. */
const REQUIRED: Record<string, string[]> = {
  hostPath: ['path'],
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  secret: ['secretName'],
  nfs: ['server', 'path'],
  iscsi: ['targetPortal', 'iqn'],
  glusterfs: ['endpoints', 'path'],
  flexVolume: ['driver'],
  cinder: ['volumeID'],
  cephfs: ['monitors'],
  rbd: ['monitors', 'image'],
  quobyte: ['registry', 'volume'],
  azureFile: ['secretName', 'shareName'],
  configMap: ['name'],
  vsphereVolume: ['volumePath'],
  azureDisk: ['diskName', 'diskURI'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  csi: ['driver'],
  persistentVolumeClaim: ['claimName'],
};
const HOST_PATHS = ['DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'];
const MAX_MODE = 0o777;

/** Checks a volume of a pod; a volume without a source is an emptyDir. */
export function volume(place: ResourceField): void {
  place.at('name').requiredName(dnsLabel);
  const sources = place.entries.filter(([name, source]) => name !== 'name' && source.isObject);
  for (const [, source] of sources.slice(1)) source.forbidden('may not specify more than 1 volume type');
  for (const [name, source] of sources.slice(0, 1)) volumeSource(name, source);
}

function volumeSource(name: string, source: ResourceField): void {
  for (const member of REQUIRED[name] ?? []) source.at(member).required();
  source.at('defaultMode').within(0, MAX_MODE);
  if (name === 'hostPath') {
    source.at('type').oneOf(HOST_PATHS);
    checkNoParentSegments(source.at('path'));
  }
  if (name === 'nfs' && source.has('path') && !source.at('path').text.startsWith('/'))
    source.at('path').invalid('must be an absolute path');
  if (name === 'emptyDir' && (amountOf(source.at('sizeLimit')) ?? 0n) < 0n)
    source.at('sizeLimit').forbidden('SizeLimit field must be a valid resource quantity');
  if (name === 'configMap' || name === 'secret') keysToPaths(source.at('items'));
  if (name === 'downwardAPI') for (const file of source.at('items').items) downwardFile(file);
  if (name === 'projected') for (const projection of source.at('sources').items) projected(projection);
  if (name === 'ephemeral') {
    const template = source.at('volumeClaimTemplate');
    if (!template.isObject) template.error('Required value');
    else claimSpec(template.at('spec'));
  }
}

function projected(projection: ResourceField): void {
  const sources = projection.entries.filter(([, source]) => source.isObject);
  for (const [, source] of sources.slice(1)) source.forbidden('may not specify more than 1 volume type');
  for (const [name, source] of sources) {
    if (name === 'secret' || name === 'configMap') {
      source.at('name').required();
      keysToPaths(source.at('items'));
    }
    if (name === 'downwardAPI') for (const file of source.at('items').items) downwardFile(file);
    if (name !== 'serviceAccountToken') continue;
    source.at('path').required();
    const expiry = source.at('expirationSeconds');
    if (expiry.number !== undefined && expiry.number < 600)
      expiry.invalid('may not specify a duration less than 10 minutes');
  }
}

function keysToPaths(list: ResourceField): void {
  for (const item of list.items) {
    item.at('key').required();
    if (item.at('path').required()) localPath(item.at('path'));
    item.at('mode').within(0, MAX_MODE);
  }
}

function downwardFile(file: ResourceField): void {
  if (file.at('path').required()) localPath(file.at('path'));
  if (!file.at('fieldRef').isObject && !file.at('resourceFieldRef').isObject)
    file.error('Required value: one of fieldRef and resourceFieldRef is required');
  file.at('mode').within(0, MAX_MODE);
}

function localPath(path: ResourceField): void {
  if (path.text.startsWith('/')) path.invalid('must be a relative path');
  checkNoParentSegments(path);
}

function checkNoParentSegments(path: ResourceField): void {
  if (path.text.split('/').includes('..')) path.invalid("must not contain '..'");
}
