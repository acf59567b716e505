import { isObject, type JsonObject } from '../../core/json/json.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { isCustomResourceDefinition, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { parseDesired } from './desired-object.js';
import { type DesiredResource } from './planned-resource.js';

/** The fields of a CustomResourceDefinition (apiextensions.k8s.io/v1) that are read here. */
interface DefinitionSpec {
  group?: string;
  scope?: string;
  names?: { kind?: string; plural?: string };
  versions?: {
    name?: string;
    served?: boolean;
    schema?: { openAPIV3Schema?: JsonObject };
    subresources?: object;
  }[];
}

export interface DefinedKind {
  kind: ResourceKind;
  /** In the format of the cluster's OpenAPI document, with `x-kubernetes-group-version-kind`. */
  schema?: JsonObject;
}

export function isDefinition({ apiVersion, kind }: { apiVersion?: unknown; kind?: unknown }): boolean {
  return typeof apiVersion === 'string' && typeof kind === 'string' && isCustomResourceDefinition({ apiVersion, kind });
}

/** The definitions from `crds/` of a chart among the resources of a design. */
export function findChartDefinitions(resources: DesiredResource[]): ObjectReference[] {
  return resources.flatMap(({ object, isChartDefinition }) => {
    const shape = isChartDefinition ? parseDesired(object) : { error: undefined };
    if (!('object' in shape) || !isDefinition(shape.object)) return [];
    const { apiVersion, kind, metadata } = shape.object;
    return [{ apiVersion, kind, name: metadata.name }];
  });
}

/** The kinds that a CustomResourceDefinition serves, one for each version; empty for other objects. */
export function definedKinds(object: Record<string, unknown>): DefinedKind[] {
  if (!isDefinition(object)) return [];
  const { group, scope, names, versions } = (object['spec'] ?? {}) as DefinitionSpec;
  const { kind, plural } = names ?? {};
  if (!group || !kind || !plural || !Array.isArray(versions)) return [];
  return versions.flatMap(({ name: version, served, schema, subresources }) =>
    version && served !== false
      ? {
          schema: isObject(schema?.openAPIV3Schema)
            ? { ...schema.openAPIV3Schema, 'x-kubernetes-group-version-kind': [{ group, version, kind }] }
            : undefined,
          kind: {
            apiVersion: `${group}/${version}`,
            group,
            version,
            kind,
            plural,
            namespaced: scope === 'Namespaced',
            verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
            subresources: Object.keys(subresources ?? {}),
            preferred: false,
          },
        }
      : [],
  );
}
