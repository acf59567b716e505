import type { Json, JsonObject } from '../core/json/json.js';
import { toPointer } from '../core/json/json-pointer.js';
import { type SourceFile } from '../formats/sources/source-file.js';
import { type ModelDefinition } from '../formats/definitions/definitions.js';
import { buildComponent } from './build-component.js';
import { GenerationCollector } from './generation-collector.js';
import {
  type CustomResource,
  findDefinitions,
  type LocatedDefinition,
  parseDefinition,
  type ResourceVersion,
} from './custom-resource.js';
import { toDisplayName } from './display-name.js';
import { type GenerationResult, type Generator, type GeneratorConfig } from './generator.js';
import { findReferences } from './schema-walk.js';
import { truncateText } from './truncate-text.js';
import { type GeneratorSource } from './generator-source.js';
import { modelNameOfGroup, buildTargetModel, parseVersion } from './target-model.js';

const WORD_PATTERN = /^[-a-z0-9]{1,63}$/;
const MAX_WORDS = 100;

/** Generates a component for each kind and served version of CustomResourceDefinitions, and a model for each domain of API groups. */
export const crdGenerator: Generator = {
  kind: 'crd',
  description: 'CustomResourceDefinitions (YAML or JSON, one or many, or an archive of such files)',
  detect: (source) => source.textFiles.some((file) => hasDefinitions(source, file)),
  generate,
};

/** A valid definition, and its location. */
export interface ParsedDefinition {
  located: LocatedDefinition;
  resource: CustomResource;
}

function hasDefinitions(source: GeneratorSource, file: SourceFile): boolean {
  const documents = source.tryDocuments(file);
  return Array.isArray(documents) && documents.some((document) => findDefinitions(document).length > 0);
}

function generate(source: GeneratorSource, config: GeneratorConfig): GenerationResult {
  const contents = new GenerationCollector();
  const { definitions, found } = parseDefinitions(source, source.textFiles, contents);
  addDefinitionsByDomain(definitions, config, contents);
  const generated = contents.build(source.name);
  if (found === 0 && generated.faults.length === 0) {
    const detail = 'holds no CustomResourceDefinition';
    contents.rejectFile(source.name, {
      detail,
      remedy: 'Send what "kubectl get crd NAME -o yaml" prints, or the file that is applied.',
    });
    return contents.build(source.name);
  }
  return generated;
}

/** The valid definitions of some files. Other documents are ignored; files and definitions with errors are faults in `contents`. */
export function parseDefinitions(
  source: GeneratorSource,
  files: readonly SourceFile[],
  contents: GenerationCollector,
): { definitions: ParsedDefinition[]; found: number } {
  const definitions: ParsedDefinition[] = [];
  let found = 0;
  for (const file of files) {
    const documents = source.tryDocuments(file);
    if (!Array.isArray(documents)) {
      contents.rejectFile(file.path, documents);
      continue;
    }
    for (const located of documents.flatMap(findDefinitions)) {
      found += 1;
      const resource = parseDefinition(located, contents);
      if (resource) definitions.push({ located, resource });
    }
  }
  return { definitions, found };
}

/** Adds definitions to the models of their domains, or to the model in the configuration. */
export function addDefinitionsByDomain(
  definitions: readonly ParsedDefinition[],
  config: GeneratorConfig,
  contents: GenerationCollector,
): void {
  const domains = new Map<string, ParsedDefinition[]>();
  for (const definition of definitions) {
    const name = config.model || modelNameOfGroup(definition.resource.group);
    const members = domains.get(name) ?? [];
    members.push(definition);
    domains.set(name, members);
  }
  for (const [name, members] of domains) {
    const releases = new Set(members.flatMap(({ resource }) => parseVersion(resource.release) ?? []));
    const [version] = releases.size === 1 ? releases : [];
    const model = buildTargetModel(config, { name, version, category: 'Orchestration & Management' });
    for (const member of members) addDefinition(member, model, config, contents);
  }
}

/** Adds a component for each served version of a definition. */
export function addDefinition(
  { located, resource }: ParsedDefinition,
  model: ModelDefinition,
  config: GeneratorConfig,
  contents: GenerationCollector,
): void {
  const { group, kind } = resource;
  const displayName = toDisplayName(kind);
  for (const version of resource.versions) {
    const { document } = located;
    const schemaAt = `${version.pointer}/schema/openAPIV3Schema`;
    for (const { target, path } of findReferences(version.schema ?? {})) {
      const detail = `refers to ${truncateText(target, 200)}; a cluster refuses references, and this one is kept as it is`;
      contents.addWarning({ document, pointer: schemaAt + toPointer(...path) }, detail, 'Write the schema out.');
    }
    const schema = version.schema ? JSON.stringify({ title: displayName, ...version.schema }) : '';
    const definition = { kind, apiVersion: `${group}/${version.name}`, displayName, schema };
    const component = buildComponent(definition, version.schema ?? {}, buildMetadata(resource, version), config);
    contents.add(model, component, { document, pointer: version.pointer });
  }
}

function buildMetadata({ isNamespaced, names }: CustomResource, version: ResourceVersion): JsonObject {
  const { plural, singular, shortNames, categories } = names;
  return {
    isNamespaced,
    plural: plural ?? null,
    ...(typeof singular === 'string' && WORD_PATTERN.test(singular) ? { singular } : {}),
    ...optionalWords('shortNames', shortNames),
    ...optionalWords('categories', categories),
    ...optionalWords('subresources', version.subresources),
    isStorageVersion: version.isStored,
    ...(version.isDeprecated ? { isDeprecated: true } : {}),
  };
}

function optionalWords(name: string, value: Json | undefined): JsonObject {
  const list = Array.isArray(value) ? value.filter((item) => typeof item === 'string' && WORD_PATTERN.test(item)) : [];
  return list.length > 0 ? { [name]: list.slice(0, MAX_WORDS) } : {};
}
