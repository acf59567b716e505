import { type JsonObject, asObject, asText } from '../../core/json/json.js';
import {
  type ComponentDefinition,
  type ModelDefinition,
  type RelationshipDefinition,
} from '../../formats/definitions/definitions.js';
import { DEFINITION_VERSION } from './model-definition-reader.js';

/** A model as the content of a model file. */
export function toModelFile(model: ModelDefinition): JsonObject {
  const { category, registrant, model: nested, ...rest } = model.rest;
  return mergeRest(rest, {
    schemaVersion: 'models.meshery.io/v1beta1',
    version: definitionVersionOf(model),
    name: model.name,
    displayName: model.displayName,
    description: model.description,
    registrant: { ...asObject(registrant), ...model.registrant },
    category: { ...asObject(category), name: model.category },
    subCategory: model.subCategory,
    metadata: model.metadata,
    model: { ...asObject(nested), version: model.version },
  });
}

/** A component as the content of its file, with enough data of the model to be usable alone. */
export function toComponentFile(component: ComponentDefinition, model: ModelDefinition): JsonObject {
  const { component: own, ...rest } = component.rest;
  return mergeRest(rest, {
    schemaVersion: 'components.meshery.io/v1beta1',
    version: asText(rest['version']) || DEFINITION_VERSION,
    displayName: component.displayName,
    description: component.description,
    format: component.format,
    model: toModelReference(model),
    styles: component.styles,
    capabilities: component.capabilities,
    metadata: component.metadata,
    component: {
      ...asObject(own),
      kind: component.kind,
      version: component.apiVersion,
      ...(component.schema === '' ? {} : { schema: component.schema }),
    },
  });
}

/** A relationship as the content of its file. */
export function toRelationshipFile(relationship: RelationshipDefinition, model: ModelDefinition): JsonObject {
  const { kind, type, subType, version, selectors, metadata, rest } = relationship;
  const schemaVersion = 'relationships.meshery.io/v1alpha3';
  return mergeRest(rest, {
    schemaVersion,
    version,
    kind,
    type,
    subType,
    model: toModelReference(model),
    metadata,
    selectors,
  });
}

/** The folder of a definition's own version. */
export function definitionVersionOf({ rest }: ModelDefinition): string {
  return asText(rest['version']) || DEFINITION_VERSION;
}

function toModelReference(model: ModelDefinition): JsonObject {
  const { name, displayName, category, subCategory, version } = model;
  return {
    schemaVersion: 'models.meshery.io/v1beta1',
    version: definitionVersionOf(model),
    name,
    displayName,
    registrant: { ...model.registrant },
    category: { name: category },
    subCategory,
    model: { version },
  };
}

/** In the order of `members`, which take precedence. */
function mergeRest(rest: JsonObject, members: JsonObject): JsonObject {
  return { ...members, ...rest, ...members };
}
