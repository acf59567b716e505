import { createDesign } from '../../../formats/design-file/canonical-design.js';
import { toComponents } from '../../../formats/design-file/design-component.js';
import { type DesignFile } from '../../../formats/design-file/design-file.js';
import { type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type RelationshipDefinition } from '../../../formats/definitions/definitions.js';
import { loadKubernetesRelationships } from '../../seed/kubernetes-relationships.js';
import { type ModelledDefinition } from './evaluation.js';
import { relationshipKeyOf } from './relationship.js';

export const kubernetes: ModelledDefinition[] = modelled(...loadKubernetesRelationships());

export function modelled(...definitions: RelationshipDefinition[]): ModelledDefinition[] {
  return definitions.map((definition) => ({ model: { name: 'kubernetes', version: 'v1.35.0' }, definition }));
}

/** A definition with one selector set. @param triple `kind type subType` */
export function stating(triple: string, ...selectors: JsonObject[]): ModelledDefinition[] {
  const [kind = '', type = '', subType = ''] = triple.split(' ');
  return modelled({ kind, type, subType, version: 'v1.0.0', selectors, metadata: {}, rest: {} });
}

/** `resource('apps/v1 Deployment shop/web', {…})`; the namespace may be left out. */
export function resource(identity: string, rest: JsonObject = {}): JsonObject {
  const [apiVersion = '', kind = '', full = ''] = identity.split(' ');
  const [name = '', namespace] = full.split('/').reverse();
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), ...asObject(rest['metadata']) };
  return { apiVersion, kind, ...rest, metadata };
}

/** A workload whose Pods have these labels and this spec. */
export function workload(
  identity: string,
  labels: JsonObject,
  spec: JsonObject = {},
  more: JsonObject = {},
): JsonObject {
  return resource(identity, { spec: { template: { metadata: { labels }, spec }, ...more } });
}

export function designOf(...resources: JsonObject[]): DesignFile {
  return createDesign({ name: 'shop', components: toComponents(resources) });
}

/** Relationships as `Service web > Deployment web network`. */
export function edgesIn({ components, relationships }: DesignFile): string[] {
  const titles = new Map(
    components.map(({ id, component, configuration }) => {
      const { name, namespace } = asObject(configuration['metadata']);
      return [id, `${component.kind} ${namespace === undefined ? '' : `${asText(namespace)}/`}${asText(name)}`];
    }),
  );
  const title = (id: string): string => titles.get(id) ?? id;
  return relationships.map((relationship) => {
    const { from, to, subType } = relationshipKeyOf(relationship);
    return `${from.map(title).join(', ')} > ${to.map(title).join(', ')} ${subType}`;
  });
}

/** The sentence that a relationship has as its reason. */
export function reasonOf(relationship: JsonObject | undefined): string {
  return asText(asObject(asObject(relationship?.['metadata'])['reason'])['text']);
}
