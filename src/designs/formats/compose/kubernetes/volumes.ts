import type { Json, JsonObject } from '../../../../core/json/json.js';
import { toPointer } from '../../../../core/json/json-pointer.js';
import { type ComposeMount, type ComposeProject, toResource, toService } from '../project.js';
import { parseBytes, toMemoryQuantity } from '../quantities.js';
import { mountBind } from './bind.js';
import { definedMembers, ServiceConversion } from './conversion.js';
import { addClaim, buildClaim, buildClaimSpec, VolumeNameCounter, type PodVolumes } from './pod-volumes.js';
import { toDnsLabel } from './names.js';
import { mountConfigs, mountSecrets } from './configs-and-secrets.js';

/** Adds all mounts of a service: volumes, binds, tmpfs, configs, secrets, and the volumes of `volumes_from`. */
export function mountVolumes(conversion: ServiceConversion, pod: PodVolumes, stateful: boolean): void {
  const { service } = conversion;
  for (const source of service.volumes_from ?? []) mountFrom(conversion, pod, source);
  const counter = new VolumeNameCounter();
  for (const [index, mount] of (service.volumes ?? []).entries()) {
    mountOne(conversion, conversion, pod, mount, { index, counter, stateful });
  }
  for (const [index, entry] of (service.tmpfs ?? []).entries()) {
    const at = entry.indexOf(':');
    const path = at < 0 ? entry : entry.slice(0, at);
    const size = /(?:^|,)size=([^,]+)/.exec(at < 0 ? '' : entry.slice(at + 1))?.[1];
    if (validTarget(conversion, path, ['tmpfs', index])) pod.mount(`tmpfs-${index}`, memoryVolume(size), path);
  }
  const shared = service.shm_size === undefined ? undefined : parseBytes(service.shm_size);
  if (shared !== undefined) pod.mount('shm', memoryVolume(shared), '/dev/shm');
  mountConfigs(conversion, pod);
  mountSecrets(conversion, pod);
}

interface MountOptions {
  index: number;
  counter: VolumeNameCounter;
  stateful: boolean;
  readOnly?: boolean;
}

/** Adds one mount; `owner` is the service with the entry, another one with `volumes_from`. */
function mountOne(
  conversion: ServiceConversion,
  owner: ServiceConversion,
  pod: PodVolumes,
  mount: ComposeMount,
  options: MountOptions,
): void {
  const { type, source, target } = mount;
  if (!validTarget(conversion, target, ['volumes', options.index])) return;
  const subPath = mount.volume?.subpath ?? conversion.label('kompose.volume.subpath');
  const readOnly = options.readOnly === true || mount.read_only === true ? true : undefined;
  if (type === 'tmpfs')
    pod.mount(owner.resourceName(options.counter.nextName('tmpfs')), memoryVolume(mount.tmpfs?.size), target);
  else if (type === 'bind') mountBind(conversion, owner, pod, mount, options.counter, readOnly);
  else if (type === 'image')
    pod.mount(owner.resourceName(options.counter.nextName('image')), { image: { reference: source ?? '' } }, target, {
      subPath: mount.image?.subpath,
    });
  else if (type !== 'volume') {
    conversion.keepInComponent('volumes', `the mount of ${target} is kept; Kubernetes has no mounts of type ${type}`);
  } else if (source === undefined) {
    addClaim(owner, pod, owner.resourceName(options.counter.nextName('claim')), target, { readOnly, subPath });
  } else namedVolume(conversion, pod, source, target, { readOnly, subPath }, options.stateful);
}

function mountFrom(conversion: ServiceConversion, pod: PodVolumes, source: string): void {
  const [name = '', mode] = source.split(':');
  const definition = conversion.conversion.project.services.get(name);
  if (source.startsWith('container:') || definition === undefined) {
    conversion.keepInComponent('volumes_from', `the volumes of ${source.slice(0, 80)} are not in this file`);
    return;
  }
  const owner = new ServiceConversion(conversion.conversion, name, definition);
  const counter = new VolumeNameCounter();
  for (const entry of owner.service.volumes_from ?? []) mountFrom(owner, pod, entry);
  for (const [index, mount] of (owner.service.volumes ?? []).entries()) {
    mountOne(conversion, owner, pod, mount, { index, counter, stateful: false, readOnly: mode === 'ro' });
  }
}

function namedVolume(
  conversion: ServiceConversion,
  pod: PodVolumes,
  key: string,
  target: string,
  more: Record<string, Json | undefined>,
  stateful: boolean,
): void {
  const { project } = conversion.conversion;
  const definition = project.volumes.get(key) ?? {};
  const volume = toResource(definition);
  const name = toDnsLabel(volume.name ?? key) || 'volume';
  if (conversion.label('kompose.volume.type')?.toLowerCase() === 'emptydir') {
    pod.mount(name, { emptyDir: {} }, target, more);
    return;
  }
  pod.claimed = true;
  if (volume.external) {
    pod.mount(name, { persistentVolumeClaim: { claimName: name } }, target, more);
    return;
  }
  const spec = buildClaimSpec(conversion, { key, labels: volume.labels });
  if (stateful && usersOf(project, key) === 1) {
    pod.templates.set(name, { metadata: { name }, spec });
    pod.mount(name, {}, target, more);
    return;
  }
  const resource = buildClaim(name, conversion.labels, spec);
  conversion.conversion.add(resource, { volume: key, definition }, toPointer('volumes', key));
  pod.mount(name, { persistentVolumeClaim: { claimName: name } }, target, more);
}

function usersOf({ services }: ComposeProject, volume: string): number {
  return [...services.values()].filter((other) => toService(other).volumes?.some(({ source }) => source === volume))
    .length;
}

function memoryVolume(size: string | number | undefined): JsonObject {
  const bytes = size === undefined ? undefined : parseBytes(size);
  return { emptyDir: definedMembers({ medium: 'Memory', sizeLimit: bytes ? toMemoryQuantity(bytes) : undefined }) };
}

function validTarget(conversion: ServiceConversion, target: string, segments: (string | number)[]): boolean {
  const valid = target.startsWith('/') && !target.includes(':');
  if (!valid)
    conversion.fault(segments, `"${target.slice(0, 80)}" is not a path in a Linux container`, 'Begin it with "/".');
  return valid;
}
