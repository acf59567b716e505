import { isObject } from '../../core/json/json.js';
import { isDeployable, resourceIdentity, toResource } from './design-component.js';
import type { DesignComponent } from './design-file.js';
import { getHelmHook } from './helm-hook.js';

/** A component that represents the same resource as an earlier one, so that a cluster cannot have both. */
export interface RepeatedResource {
  component: DesignComponent;
  /** The positions of both in the design. */
  index: number;
  first: number;
}

/** Hooks of charts, and resources that the cluster names, may be repeated. */
export function findRepeatedResources(components: readonly DesignComponent[]): RepeatedResource[] {
  const seen = new Map<string, number>();
  return components.flatMap((component, index) => {
    if (!isDeployable(component) || getHelmHook(component)) return [];
    const resource = toResource(component);
    const { metadata } = resource;
    if (!isObject(metadata) || typeof metadata['name'] !== 'string') return [];
    const identity = resourceIdentity(resource);
    const first = seen.get(identity);
    if (first === undefined) seen.set(identity, index);
    return first === undefined ? [] : [{ component, index, first }];
  });
}
