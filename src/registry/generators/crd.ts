import { type Json, type JsonObject, pointerTo } from '../../formats/located.js';
import { type SourceFile } from '../../formats/source-file.js';
import { type ModelDefinition } from '../definition.js';
import { componentOf } from './component.js';
import { Contents } from './contents.js';
import { type CustomResource, definitionsIn, type LocatedDefinition, readDefinition, type ResourceVersion } from './custom-resource.js'; // prettier-ignore
import { displayNameOf } from './display-name.js';
import { type Generated, type Generator, type GeneratorConfig } from './generator.js';
import { referencesOf } from './schema-walk.js';
import { shortened } from './shortened.js';
import { type Source } from './source.js';
import { modelOfGroup, targetModel, versionIn } from './target-model.js';

const WORD = /^[-a-z0-9]{1,63}$/;
const MOST_WORDS = 100;

/** CustomResourceDefinitions: one component for each kind and served version, in one model for each domain of API groups. */
export const crdGenerator: Generator = {
  kind: 'crd',
  description: 'CustomResourceDefinitions (YAML or JSON, one or many, or an archive of such files)',
  detect: (source) => source.textFiles.some((file) => hasDefinitions(source, file)),
  generate,
};

/** A definition that was read, and where it stands. */
export interface ReadDefinition {
  located: LocatedDefinition;
  resource: CustomResource;
}

function hasDefinitions(source: Source, file: SourceFile): boolean {
  const documents = source.tryDocuments(file);
  return Array.isArray(documents) && documents.some((document) => definitionsIn(document).length > 0);
}

function generate(source: Source, config: GeneratorConfig): Generated {
  const contents = new Contents();
  const { definitions, found } = readDefinitions(source, source.textFiles, contents);
  addByDomain(definitions, config, contents);
  const generated = contents.finish(source.name);
  if (found === 0 && generated.faults.length === 0) {
    const detail = 'holds no CustomResourceDefinition';
    contents.refuse(source.name, { detail, remedy: 'Send what "kubectl get crd NAME -o yaml" prints, or the file that is applied.' }); // prettier-ignore
    return contents.finish(source.name);
  }
  return generated;
}

/** The sound definitions of some files; other documents are passed over, and what cannot be read or used goes to `contents`. */
export function readDefinitions(
  source: Source,
  files: readonly SourceFile[],
  contents: Contents,
): { definitions: ReadDefinition[]; found: number } {
  const definitions: ReadDefinition[] = [];
  let found = 0;
  for (const file of files) {
    const documents = source.tryDocuments(file);
    if (!Array.isArray(documents)) {
      contents.refuse(file.path, documents);
      continue;
    }
    for (const located of documents.flatMap(definitionsIn)) {
      found += 1;
      const resource = readDefinition(located, contents);
      if (resource) definitions.push({ located, resource });
    }
  }
  return { definitions, found };
}

/** Adds definitions to the models of their domains, or to the one that the caller names. */
export function addByDomain(definitions: readonly ReadDefinition[], config: GeneratorConfig, contents: Contents): void {
  const domains = new Map<string, ReadDefinition[]>();
  for (const definition of definitions) {
    const name = config.model || modelOfGroup(definition.resource.group);
    const members = domains.get(name) ?? [];
    members.push(definition);
    domains.set(name, members);
  }
  for (const [name, members] of domains) {
    const releases = new Set(members.flatMap(({ resource }) => versionIn(resource.release) ?? []));
    const [version] = releases.size === 1 ? releases : [];
    const model = targetModel(config, { name, version, category: 'Orchestration & Management' });
    for (const member of members) addDefinition(member, model, config, contents);
  }
}

/** Adds one component for each version of a definition that is served. */
export function addDefinition(
  { located, resource }: ReadDefinition,
  model: ModelDefinition,
  config: GeneratorConfig,
  contents: Contents,
): void {
  const { group, kind } = resource;
  const displayName = displayNameOf(kind);
  for (const version of resource.versions) {
    const { document } = located;
    const schemaAt = `${version.pointer}/schema/openAPIV3Schema`;
    for (const { target, path } of referencesOf(version.schema ?? {})) {
      const detail = `refers to ${shortened(target, 200)}; a cluster refuses references, and this one is kept as it is`;
      contents.warn({ document, pointer: schemaAt + pointerTo(...path) }, detail, 'Write the schema out.');
    }
    const schema = version.schema ? JSON.stringify({ title: displayName, ...version.schema }) : '';
    const definition = { kind, apiVersion: `${group}/${version.name}`, displayName, schema };
    const component = componentOf(definition, version.schema ?? {}, metadataOf(resource, version), config);
    contents.add(model, component, { document, pointer: version.pointer });
  }
}

function metadataOf({ isNamespaced, names }: CustomResource, version: ResourceVersion): JsonObject {
  const { plural, singular, shortNames, categories } = names;
  return {
    isNamespaced,
    plural: plural ?? null,
    ...(typeof singular === 'string' && WORD.test(singular) ? { singular } : {}),
    ...listed('shortNames', shortNames),
    ...listed('categories', categories),
    ...listed('subresources', version.subresources),
    isStorageVersion: version.isStored,
    ...(version.isDeprecated ? { isDeprecated: true } : {}),
  };
}

function listed(name: string, value: Json | undefined): JsonObject {
  const list = Array.isArray(value) ? value.filter((item) => typeof item === 'string' && WORD.test(item)) : [];
  return list.length > 0 ? { [name]: list.slice(0, MOST_WORDS) } : {};
}
