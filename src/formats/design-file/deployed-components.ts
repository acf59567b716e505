import { isInstalled } from './helm-hook.js';
import { isDeployable } from './design-component.js';
import type { DesignComponent, DesignFile } from './design-file.js';

/**
 * Whether deploying its design puts a component on a cluster. Hooks of a chart for installing and upgrading are applied like
 * any other resource; those for `helm test`, deleting and rolling back are left out.
 */
export function isDeployed(component: DesignComponent): boolean {
  return isDeployable(component) && isInstalled(component);
}

/** The components that deploying a design puts on a cluster, in its order. */
export function getDeployedComponents({ components }: Pick<DesignFile, 'components'>): DesignComponent[] {
  return components.filter(isDeployed);
}
