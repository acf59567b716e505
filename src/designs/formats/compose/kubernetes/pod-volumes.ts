import { toPointer } from '../../../../core/json/json-pointer.js';
import type { Json, JsonObject } from '../../../../core/json/json.js';
import { definedMembers, type ServiceConversion } from './conversion.js';
import { toDnsLabel } from './names.js';

const quantity = /^\d+(\.\d+)?([EPTGMK]i|[EPTGMk]|m)?$/;

/** The volumes of a pod and where one container mounts them. */
export class PodVolumes {
  readonly mounts = new Map<string, JsonObject>();
  /** Claim templates of a StatefulSet. */
  readonly templates = new Map<string, JsonObject>();
  /** Whether pods use a claim, so that two of them cannot run concurrently. */
  claimed = false;

  constructor(readonly volumes = new Map<string, JsonObject>()) {}

  /** Mounts a volume; the name gets a number when another volume of the pod has it. */
  mount(name: string, source: JsonObject, mountPath: string, more: Record<string, Json | undefined> = {}): void {
    let unique = name;
    for (let number = 2; this.differs(unique, source); number += 1) unique = toDnsLabel(`${name}-${number}`);
    if (!this.templates.has(unique)) this.volumes.set(unique, { name: unique, ...source });
    this.mounts.set(mountPath, definedMembers({ name: unique, mountPath, ...more }));
  }

  private differs(name: string, source: JsonObject): boolean {
    const before = this.volumes.get(name);
    return before !== undefined && JSON.stringify(before) !== JSON.stringify({ name, ...source });
  }
}

/** Numbers the claims and ConfigMaps made from a service's own mounts: `web-claim0`, `web-cm1`. */
export class VolumeNameCounter {
  private readonly next = new Map<string, number>();

  nextName(kind: string): string {
    const number = this.next.get(kind) ?? 0;
    this.next.set(kind, number + 1);
    return `${kind}${number}`;
  }
}

/** A claim for an anonymous mount of one service. */
export function addClaim(
  owner: ServiceConversion,
  pod: PodVolumes,
  name: string,
  target: string,
  more: Record<string, Json | undefined>,
): void {
  owner.conversion.add(
    buildClaim(name, owner.labels, buildClaimSpec(owner)),
    { service: owner.composeName },
    owner.pointer(),
  );
  pod.claimed = true;
  pod.mount(name, { persistentVolumeClaim: { claimName: name } }, target, more);
}

/** A PersistentVolumeClaim. */
export function buildClaim(name: string, labels: Record<string, string>, spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, labels }, spec };
}

const DEFAULT_SIZE = '100Mi';

/**
 * The size of a claim: the label `kompose.volume.size`, or a default, with a warning. Without a volume of the file it is the claim of a
 * service.
 */
export function buildClaimSpec(
  conversion: ServiceConversion,
  volume?: { key: string; labels: Record<string, string> | undefined },
): JsonObject {
  const labels = volume?.labels ?? {};
  const own = Object.hasOwn(labels, 'kompose.volume.size') ? labels['kompose.volume.size'] : undefined;
  const given = own ?? conversion.label('kompose.volume.size');
  const size = given ?? DEFAULT_SIZE;
  if (given === undefined) {
    const place = volume ? toPointer('volumes', volume.key) : conversion.pointer('volumes');
    const remedy = `Set the label kompose.volume.size of the ${volume ? 'volume' : 'service'} to a size such as 1Gi.`;
    conversion.conversion.warn(
      place,
      `asks for ${DEFAULT_SIZE}, which is a guess: Compose files have no sizes`,
      remedy,
    );
  }
  if (!quantity.test(size)) conversion.labelFault('kompose.volume.size', 'a size such as 1Gi');
  return definedMembers({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: size } },
    storageClassName: conversion.label('kompose.volume.storage-class-name'),
  });
}
