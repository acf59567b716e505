import { type JsonObject, objectOf, textOf } from '../../formats/located.js';
import { type ComponentDefinition, type ModelDefinition, type RelationshipDefinition } from '../definition.js';
import { DEFINITION_VERSION } from './model-definition.js';

/** A model as the content of a model file. */
export function modelFile(model: ModelDefinition): JsonObject {
  const { category, registrant, model: nested, ...rest } = model.rest;
  return withRest(rest, {
    schemaVersion: 'models.meshery.io/v1beta1',
    version: definitionVersion(model),
    name: model.name,
    displayName: model.displayName,
    description: model.description,
    registrant: { ...objectOf(registrant), ...model.registrant },
    category: { ...objectOf(category), name: model.category },
    subCategory: model.subCategory,
    metadata: model.metadata,
    model: { ...objectOf(nested), version: model.version },
  });
}

/** A component as the content of its file, which says enough of the model to be of use alone. */
export function componentFile(component: ComponentDefinition, model: ModelDefinition): JsonObject {
  const { component: own, ...rest } = component.rest;
  return withRest(rest, {
    schemaVersion: 'components.meshery.io/v1beta1',
    version: textOf(rest['version']) || DEFINITION_VERSION,
    displayName: component.displayName,
    description: component.description,
    format: component.format,
    model: referenceTo(model),
    styles: component.styles,
    capabilities: component.capabilities,
    metadata: component.metadata,
    component: {
      ...objectOf(own),
      kind: component.kind,
      version: component.apiVersion,
      ...(component.schema === '' ? {} : { schema: component.schema }),
    },
  });
}

/** A relationship as the content of its file. */
export function relationshipFile(relationship: RelationshipDefinition, model: ModelDefinition): JsonObject {
  const { kind, type, subType, version, selectors, metadata, rest } = relationship;
  const schemaVersion = 'relationships.meshery.io/v1alpha3';
  return withRest(rest, {
    schemaVersion,
    version,
    kind,
    type,
    subType,
    model: referenceTo(model),
    metadata,
    selectors,
  });
}

/** The folder of a definition's own version. */
export function definitionVersion({ rest }: ModelDefinition): string {
  return textOf(rest['version']) || DEFINITION_VERSION;
}

function referenceTo(model: ModelDefinition): JsonObject {
  const { name, displayName, category, subCategory, version } = model;
  return {
    schemaVersion: 'models.meshery.io/v1beta1',
    version: definitionVersion(model),
    name,
    displayName,
    registrant: { ...model.registrant },
    category: { name: category },
    subCategory,
    model: { version },
  };
}

/** In the order of `members`, which win. */
function withRest(rest: JsonObject, members: JsonObject): JsonObject {
  return { ...members, ...rest, ...members };
}
