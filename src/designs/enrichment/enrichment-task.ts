import type { DesignComponent, DesignFile } from '../../formats/design-file/design-file.js';
import { type JsonObject, asText } from '../../formats/documents/located-document.js';
import { encodeJson } from '../../formats/design-file/packed-design.js';
import { TransferredValue, type Task } from '../../core/workers/task.js';
import { evaluate } from '../../registry/relationships/evaluation/evaluate.js';
import { unpackDefinitions, type PackedDefinitions } from '../../registry/relationships/evaluation/evaluation-task.js';

/** The two members of a design that the registry has something to say about, each as UTF-8 JSON in a buffer of its own. */
export interface EnrichableMembers {
  components: Uint8Array<ArrayBuffer>;
  relationships: Uint8Array<ArrayBuffer>;
}

interface EnrichmentInput extends EnrichableMembers {
  /** The models of the kinds that the registry knows, by kind and apiVersion as `keyOf` joins them. */
  models: ReadonlyMap<string, { name: string; version: string }>;
  definitions: PackedDefinitions;
}

/** Fills in the models of components, and the relationships. */
export const enrichmentTask: Task<EnrichmentInput, EnrichableMembers> = {
  module: import.meta.url,
  name: 'enrichInWorker',
};

/** Task of the worker pool. */
export function enrichInWorker({
  components,
  relationships,
  models,
  definitions,
}: EnrichmentInput): TransferredValue<EnrichableMembers> {
  const drawn = (parseJson(components) as DesignComponent[]).map((component) => {
    const { kind, version } = component.component;
    const model = models.get(resourceTypeKey({ kind, apiVersion: version }));
    const isNamed = asText(component.model.version) !== '';
    return model && !isNamed ? { ...component, model: { ...component.model, ...model } } : component;
  });
  const design: DesignFile = {
    name: '',
    schemaVersion: '',
    version: '',
    components: drawn,
    relationships: parseJson(relationships) as JsonObject[],
    metadata: {},
    preferences: {},
  };
  const { design: evaluated } = evaluate(design, unpackDefinitions(definitions));
  const known = { components: encodeJson(evaluated.components), relationships: encodeJson(evaluated.relationships) };
  return new TransferredValue(known, [known.components.buffer, known.relationships.buffer]);
}

export const resourceTypeKey = ({ kind, apiVersion }: { kind: string; apiVersion: string }): string =>
  `${kind} ${apiVersion}`;

function parseJson(json: Uint8Array<ArrayBuffer>): unknown {
  return JSON.parse(Buffer.from(json.buffer).toString());
}
