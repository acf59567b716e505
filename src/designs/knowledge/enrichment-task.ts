import type { DesignComponent, DesignFile } from '../../formats/design-file.js';
import { type JsonObject, textOf } from '../../formats/located.js';
import { bytesOf } from '../../formats/packed-design.js';
import { HandedOver, type Task } from '../../formats/task.js';
import { evaluate } from '../../registry/relationships/evaluation/evaluate.js';
import { definitionsIn, type PackedDefinitions } from '../../registry/relationships/evaluation/evaluation-task.js';

/** The two members of a design that the registry has something to say about, each as UTF-8 JSON in a buffer of its own. */
export interface KnownParts {
  components: Uint8Array<ArrayBuffer>;
  relationships: Uint8Array<ArrayBuffer>;
}

interface Input extends KnownParts {
  /** The models of the kinds that the registry knows, by kind and apiVersion as `keyOf` joins them. */
  models: ReadonlyMap<string, { name: string; version: string }>;
  definitions: PackedDefinitions;
}

/** Fills in the models of components, and the relationships. */
export const enrichmentTask: Task<Input, KnownParts> = { module: import.meta.url, name: 'enrichInWorker' };

/** Task of the worker pool. */
export function enrichInWorker({ components, relationships, models, definitions }: Input): HandedOver<KnownParts> {
  const drawn = (read(components) as DesignComponent[]).map((component) => {
    const { kind, version } = component.component;
    const model = models.get(keyOf({ kind, apiVersion: version }));
    const isNamed = textOf(component.model.version) !== '';
    return model && !isNamed ? { ...component, model: { ...component.model, ...model } } : component;
  });
  const design: DesignFile = {
    name: '',
    schemaVersion: '',
    version: '',
    components: drawn,
    relationships: read(relationships) as JsonObject[],
    metadata: {},
    preferences: {},
  };
  const { design: evaluated } = evaluate(design, definitionsIn(definitions));
  const known = { components: bytesOf(evaluated.components), relationships: bytesOf(evaluated.relationships) };
  return new HandedOver(known, [known.components.buffer, known.relationships.buffer]);
}

export const keyOf = ({ kind, apiVersion }: { kind: string; apiVersion: string }): string => `${kind} ${apiVersion}`;

function read(json: Uint8Array<ArrayBuffer>): unknown {
  return JSON.parse(Buffer.from(json.buffer).toString());
}
