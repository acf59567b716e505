import { type AppError } from '../core/errors/app-error.js';
import { isObject, type Json, type JsonObject, asObject } from '../core/json/json.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import { type ModelDefinition } from '../formats/definitions/definitions.js';
import { buildComponent } from './build-component.js';
import { GenerationCollector } from './generation-collector.js';
import { toDisplayName, toSlugName } from './display-name.js';
import { type GenerationResult, type Generator, type GeneratorConfig } from './generator.js';
import { type KubernetesResource, readKubernetesResources } from './kubernetes-resources.js';
import {
  formatApiVersion,
  looksLikeOpenApi,
  type OpenApiDocument,
  readOpenApi,
  schemaPointerOf,
} from './openapi-document.js';
import { SchemaLibrary } from './schema-library.js';
import { truncateText } from './truncate-text.js';
import { type GeneratorSource } from './generator-source.js';
import { buildTargetModel, parseVersion } from './target-model.js';

const MAX_KIND_LENGTH = 253;
const MAX_TITLE_LENGTH = 200;

/** Generates a component for each kind of resource of Kubernetes' OpenAPI documents (2.0 and 3), and for each schema of others. */
export const openApiGenerator: Generator = {
  kind: 'openapi',
  description: 'an OpenAPI document (2.0, 3.0 or 3.1, YAML or JSON)',
  detect: (source) => source.textFiles.some((file) => isOpenApi(source.tryDocuments(file))),
  generate,
};

function isOpenApi(documents: LocatedDocument[] | AppError): boolean {
  return Array.isArray(documents) && documents.some(looksLikeOpenApi);
}

function generate(source: GeneratorSource, config: GeneratorConfig): GenerationResult {
  const contents = new GenerationCollector();
  for (const file of source.textFiles) {
    const documents = source.tryDocuments(file);
    if (!Array.isArray(documents)) contents.rejectFile(file.path, documents);
    else if (isOpenApi(documents))
      documents.filter(looksLikeOpenApi).forEach((one) => addDocument(one, config, contents));
    else if (source.archive) contents.addFileWarning(file.path, 'is not an OpenAPI document and is left out');
    else
      contents.rejectFile(file.path, {
        detail: 'is not an OpenAPI document',
        remedy: 'Begin it with openapi: "3.1.0".',
      });
  }
  return contents.build(source.name);
}

function addDocument(document: LocatedDocument, config: GeneratorConfig, contents: GenerationCollector): void {
  const api = readOpenApi(document, contents);
  if (!api) return;
  const resources = readKubernetesResources(api);
  const model = buildModel(api, config, resources.length > 0);
  const library = new SchemaLibrary(document, contents);
  if (resources.length > 0) {
    for (const resource of resources) addResource(resource, { api, library, model, config, contents });
    return;
  }
  const apiVersion = `${toSlugName(api.title) || 'api'}/${parseVersion(api.version) ?? 'v1'}`;
  for (const [name, schema] of Object.entries(api.schemas)) {
    const pointer = schemaPointerOf(api, name);
    if (!isObject(schema) && typeof schema !== 'boolean') {
      contents.addFault(
        'component',
        { document, pointer },
        'is not a schema',
        'Write an object, such as {"type": "object"}.',
      );
    } else if (name === '' || name.length > MAX_KIND_LENGTH || /\p{C}/u.test(name)) {
      contents.addFault(
        'component',
        { document, pointer },
        'is not a name for a component',
        `Give the schema a name of up to ${MAX_KIND_LENGTH} printable characters.`,
      );
    } else if (contents.hasRoom({ document, pointer })) {
      const displayName = toDisplayName(name.split('.').at(-1) ?? name);
      const definition = { kind: name, apiVersion, displayName, schema: library.toSelfContained(pointer, displayName) };
      const component = buildComponent(definition, asObject(schema), { isNamespaced: false }, config);
      contents.add(model, component, { document, pointer });
    }
  }
}

/** The source and destination of a generated component. */
export interface ResourceTarget {
  api: OpenApiDocument;
  library: SchemaLibrary;
  model: ModelDefinition;
  config: GeneratorConfig;
  contents: GenerationCollector;
}

/** Adds the component of a Kubernetes resource. */
export function addResource(
  resource: KubernetesResource,
  { api, library, model, config, contents }: ResourceTarget,
): void {
  const { kind, schema: name, isNamespaced, plural, subresources } = resource;
  const pointer = schemaPointerOf(api, name);
  if (!contents.hasRoom({ document: api.document, pointer })) return;
  const displayName = toDisplayName(kind);
  const schema = library.toSelfContained(pointer, displayName);
  const metadata: JsonObject = {
    ...(isNamespaced === undefined ? {} : { isNamespaced }),
    ...(plural === undefined ? {} : { plural }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
  const definition = { kind, apiVersion: formatApiVersion(resource), displayName, schema };
  const component = buildComponent(definition, asObject(api.schemas[name]), metadata, config);
  contents.add(model, component, { document: api.document, pointer });
}

/** Definitions of Kubernetes without a title are recognized by the names of their Go packages. */
function buildModel(api: OpenApiDocument, config: GeneratorConfig, ofKubernetes: boolean): ModelDefinition {
  const unnamed = ofKubernetes && Object.keys(api.schemas).some((name) => name.startsWith('io.k8s.api.'));
  const title = api.title.replace(/\p{Cc}+/gu, ' ').trim() || (unnamed ? 'Kubernetes' : nameOfFile(api.document.file));
  const { license, termsOfService } = api.info;
  return buildTargetModel(config, {
    name: toSlugName(title) || 'api',
    displayName: truncateText(title, MAX_TITLE_LENGTH),
    version: parseVersion(api.version),
    description: api.description,
    category: ofKubernetes ? 'Orchestration & Management' : 'App Definition',
    metadata: {
      ...optionalName('license', asObject(license)['name']),
      ...optionalName('termsOfService', termsOfService),
    },
  });
}

function optionalName(name: string, value: Json | undefined): JsonObject {
  return typeof value === 'string' && value !== '' ? { [name]: truncateText(value, MAX_TITLE_LENGTH) } : {};
}

function nameOfFile(path: string): string {
  return (path.split(/[/\\?#]/).at(-1) ?? '').replace(/\.(?:ya?ml|json)$/i, '');
}
