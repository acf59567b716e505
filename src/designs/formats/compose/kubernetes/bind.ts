import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import type { Json, JsonObject } from '../../../../core/json/json.js';
import { type SourceFile } from '../../../../formats/sources/source-file.js';
import { type ComposeMount } from '../project.js';
import { type ServiceConversion } from './conversion.js';
import { toDataKey } from './names.js';
import { addClaim, type VolumeNameCounter, type PodVolumes } from './pod-volumes.js';

/** The maximum content of a ConfigMap. */
const MAX_CONFIG_MAP_BYTES = 1024 * 1024;

/**
 * A bind mount: files of the archive as a ConfigMap, anything else as a claim, or the type of the label `kompose.volume.type`.
 * A path of the host is used only when that label says `hostPath`.
 */
export function mountBind(
  conversion: ServiceConversion,
  owner: ServiceConversion,
  pod: PodVolumes,
  mount: ComposeMount,
  counter: VolumeNameCounter,
  readOnly: true | undefined,
): void {
  const { source = '', target } = mount;
  const kind = owner.label('kompose.volume.type')?.toLowerCase();
  const subPath = conversion.label('kompose.volume.subpath');
  if (kind === 'emptydir') {
    pod.mount(owner.resourceName(counter.nextName('empty')), { emptyDir: {} }, target, { readOnly, subPath });
  } else if (kind === 'hostpath' && source.startsWith('/')) {
    pod.mount(
      owner.resourceName(counter.nextName('hostpath')),
      { hostPath: { path: posix.normalize(source) } },
      target,
      {
        readOnly,
      },
    );
  } else if (kind !== 'persistentvolumeclaim' && mountFiles(owner, pod, mount, counter, readOnly)) {
    return;
  } else if (kind === 'configmap') {
    const name = owner.resourceName(counter.nextName('cm'));
    owner.add(buildFileConfigMap(name, owner.labels, new Map()), { file: source });
    pod.mount(name, { configMap: { name } }, target, { readOnly });
    conversion.warn(
      ['volumes'],
      `${source.slice(0, 200)} is not part of the import; the ConfigMap ${name} is empty`,
      'Import an archive that holds it.',
    );
  } else {
    if (kind !== undefined && !['hostpath', 'persistentvolumeclaim'].includes(kind)) {
      conversion.labelFault('kompose.volume.type', 'configMap, hostPath, emptyDir or persistentVolumeClaim');
    }
    const name = owner.resourceName(counter.nextName('claim'));
    addClaim(owner, pod, name, target, { readOnly, subPath });
    conversion.warn(
      ['volumes'],
      `${source.slice(0, 200)} is a path of the host; ${target} gets the empty claim ${name} instead`,
      'Import an archive that holds the files, or set the label kompose.volume.type.',
    );
  }
}

/** Mounts files of the archive; false when there are none, or a ConfigMap cannot hold them. */
function mountFiles(
  owner: ServiceConversion,
  pod: PodVolumes,
  mount: ComposeMount,
  counter: VolumeNameCounter,
  readOnly: true | undefined,
): boolean {
  const { source = '', target } = mount;
  const { files } = owner.conversion;
  const file = files.file(source);
  const inside = file ? new Map([[posix.basename(source), file]]) : files.directory(source);
  const size = [...inside.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  const whole = posix.normalize(source).replace(/\/$/, '') === '.';
  if (
    inside.size === 0 ||
    whole ||
    size > MAX_CONFIG_MAP_BYTES ||
    [...inside.keys()].some((name) => name.includes('/'))
  )
    return false;
  const name = owner.resourceName(counter.nextName('cm'));
  owner.add(buildFileConfigMap(name, owner.labels, inside), { file: source });
  const items: Json[] = [...inside.keys()].map((path) => ({ key: toDataKey(path), path }));
  const subPath = file ? posix.basename(source) : undefined;
  pod.mount(name, { configMap: { name, items } }, target, { readOnly, subPath });
  return true;
}

/** A ConfigMap of files: text under `data`, anything else under `binaryData`. */
export function buildFileConfigMap(
  name: string,
  labels: Record<string, string>,
  files: ReadonlyMap<string, SourceFile>,
): JsonObject {
  const data: [string, string][] = [];
  const binary: [string, string][] = [];
  for (const [path, { bytes }] of files) {
    if (isUtf8(bytes) && !bytes.includes(0)) data.push([toDataKey(path), Buffer.from(bytes).toString('utf8')]);
    else binary.push([toDataKey(path), Buffer.from(bytes).toString('base64')]);
  }
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels },
    ...(data.length > 0 ? { data: Object.fromEntries(data) } : {}),
    ...(binary.length > 0 ? { binaryData: Object.fromEntries(binary) } : {}),
  };
}
