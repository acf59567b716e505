import { type JsonObject, textOf } from '../../formats/located.js';
import { type ComponentDefinition } from '../definition.js';
import { type GeneratorConfig } from './generator.js';
import { shortened } from './shortened.js';

/** Characters of a description; the longest ones of Kubernetes have some 4,000. */
export const LONGEST_DESCRIPTION = 10_000;

/** A component as generators make them: described by its schema, and without a look of its own. */
export function componentOf(
  definition: Pick<ComponentDefinition, 'kind' | 'apiVersion' | 'displayName' | 'schema'>,
  schema: JsonObject,
  metadata: JsonObject,
  { sourceUri }: GeneratorConfig,
): ComponentDefinition {
  return {
    ...definition,
    description: shortened(textOf(schema['description']), LONGEST_DESCRIPTION),
    format: 'JSON',
    styles: null,
    capabilities: null,
    metadata: { isAnnotation: false, ...metadata, ...(sourceUri === undefined ? {} : { source_uri: sourceUri }) },
    rest: {},
  };
}
