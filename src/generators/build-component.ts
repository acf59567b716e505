import { type JsonObject, asText } from '../core/json/json.js';
import { type ComponentDefinition } from '../formats/definitions/definitions.js';
import { type GeneratorConfig } from './generator.js';
import { truncateText } from './truncate-text.js';

/** The maximum characters of a description; the longest ones of Kubernetes have about 4,000. */
export const MAX_DESCRIPTION_LENGTH = 10_000;

/** A generated component: its description is that of its schema, and it has no styles. */
export function buildComponent(
  definition: Pick<ComponentDefinition, 'kind' | 'apiVersion' | 'displayName' | 'schema'>,
  schema: JsonObject,
  metadata: JsonObject,
  { sourceUri }: GeneratorConfig,
): ComponentDefinition {
  return {
    ...definition,
    description: truncateText(asText(schema['description']), MAX_DESCRIPTION_LENGTH),
    format: 'JSON',
    styles: null,
    capabilities: null,
    metadata: { isAnnotation: false, ...metadata, ...(sourceUri === undefined ? {} : { source_uri: sourceUri }) },
    rest: {},
  };
}
