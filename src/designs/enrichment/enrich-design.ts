import type { AskMainThread } from '../../core/workers/task.js';
import type { Fault } from '../../core/errors/app-error.js';
import { asText } from '../../core/json/json.js';
import type { DesignFile } from '../../formats/design-file/design-file.js';
import { buildOutline, DesignOutline } from '../../formats/design-file/design-outline.js';
import { evaluate } from '../../registry/relationships/evaluation/evaluate.js';
import { type PackedDefinitions, unpackDefinitions } from '../../registry/relationships/evaluation/evaluation-task.js';
import type { ResourceTypeMeta } from '../../validation/validate-resource.js';

/** A request of the enrichment to the registry: the models of some kinds, or the definitions of relationships. */
export type RegistryQuestion = { registry: 'models'; kinds: ResourceTypeMeta[] } | { registry: 'relationships' };

/** The models of the kinds that the registry knows, by `resourceTypeKey`. */
export type KnownModels = ReadonlyMap<string, { name: string; version: string }>;

export const isRegistryQuestion = (question: unknown): question is RegistryQuestion =>
  typeof question === 'object' && question !== null && 'registry' in question;

const TRUNCATED: Fault = {
  pointer: '/relationships',
  detail: 'the design has more relationships than are stored; the rest is left out',
  remedy: 'Split the design; what it deploys is the same.',
};

/** Adds the models of components and their relationships to a design. Unregistered kinds are not changed. */
export async function enrichDesign(
  design: DesignFile,
  ask: AskMainThread,
): Promise<{ design: DesignFile; warnings: Fault[] }> {
  const models = await fetchModels(design, ask);
  const components = design.components.map((component) => {
    const { kind, version } = component.component;
    const model = models.get(resourceTypeKey({ kind, apiVersion: version }));
    const isNamed = asText(component.model.version) !== '';
    return model && !isNamed ? { ...component, model: { ...component.model, ...model } } : component;
  });
  const definitions = (await ask({ registry: 'relationships' } satisfies RegistryQuestion)) as PackedDefinitions;
  const { design: evaluated, trace } = evaluate({ ...design, components }, unpackDefinitions(definitions));
  return { design: evaluated, warnings: trace.truncated ? [TRUNCATED] : [] };
}

async function fetchModels(design: DesignFile, ask: AskMainThread): Promise<KnownModels> {
  const models = new Map<string, { name: string; version: string }>();
  for await (const outlined of new DesignOutline(buildOutline(design.components)).iterateKinds()) {
    const kinds = outlined.map(({ kind, apiVersion }) => ({ kind, apiVersion }));
    const known = (await ask({ registry: 'models', kinds } satisfies RegistryQuestion)) as KnownModels;
    for (const [key, model] of known) models.set(key, model);
  }
  return models;
}

export const resourceTypeKey = ({ kind, apiVersion }: { kind: string; apiVersion: string }): string =>
  `${kind} ${apiVersion}`;
