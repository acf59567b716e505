import { isDeployable } from '../formats/design-component.js';
import type { DesignComponent, DesignFile } from '../formats/design-file.js';
import { isInstalled } from './formats/helm/hook.js';

/**
 * The components that deploying a design puts on a cluster, in its order. Hooks of a chart for installing and upgrading are
 * applied like any other resource; those for `helm test`, deleting and rolling back are left out.
 */
export function deployedComponents({ components }: DesignFile): DesignComponent[] {
  return components.filter((component) => isDeployable(component) && isInstalled(component));
}
