import { type AppError } from '../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject, type LocatedDocument, objectOf } from '../../formats/located.js';
import { type ModelDefinition } from '../definition.js';
import { componentOf } from './component.js';
import { Contents } from './contents.js';
import { displayNameOf, slugNameOf } from './display-name.js';
import { type Generated, type Generator, type GeneratorConfig } from './generator.js';
import { type KubernetesResource, kubernetesResources } from './kubernetes-resources.js';
import { apiVersionOf, claimsOpenApi, type OpenApiDocument, readOpenApi, schemaPointer } from './openapi-document.js';
import { SchemaLibrary } from './schema-library.js';
import { shortened } from './shortened.js';
import { type Source } from './source.js';
import { targetModel, versionIn } from './target-model.js';

const LONGEST_KIND = 253;
const LONGEST_TITLE = 200;

/** OpenAPI 2.0 and 3: documents of Kubernetes give one component for each kind of resource, all others one for each schema. */
export const openApiGenerator: Generator = {
  kind: 'openapi',
  description: 'an OpenAPI document (2.0, 3.0 or 3.1, YAML or JSON)',
  detect: (source) => source.textFiles.some((file) => isOpenApi(source.tryDocuments(file))),
  generate,
};

function isOpenApi(documents: LocatedDocument[] | AppError): boolean {
  return Array.isArray(documents) && documents.some(claimsOpenApi);
}

function generate(source: Source, config: GeneratorConfig): Generated {
  const contents = new Contents();
  for (const file of source.textFiles) {
    const documents = source.tryDocuments(file);
    if (!Array.isArray(documents)) contents.refuse(file.path, documents);
    else if (isOpenApi(documents)) documents.filter(claimsOpenApi).forEach((one) => addDocument(one, config, contents));
    else if (source.archive) contents.warnOfFile(file.path, 'is no OpenAPI document and is left out');
    else contents.refuse(file.path, { detail: 'is no OpenAPI document', remedy: 'Begin it with openapi: "3.1.0".' });
  }
  return contents.finish(source.name);
}

function addDocument(document: LocatedDocument, config: GeneratorConfig, contents: Contents): void {
  const api = readOpenApi(document, contents);
  if (!api) return;
  const resources = kubernetesResources(api);
  const model = modelOf(api, config, resources.length > 0);
  const library = new SchemaLibrary(document, contents);
  if (resources.length > 0) {
    for (const resource of resources) addResource(resource, { api, library, model, config, contents });
    return;
  }
  const apiVersion = `${slugNameOf(api.title) || 'api'}/${versionIn(api.version) ?? 'v1'}`;
  for (const [name, schema] of Object.entries(api.schemas)) {
    const pointer = schemaPointer(api, name);
    if (!isObject(schema) && typeof schema !== 'boolean') {
      contents.fault('component', { document, pointer }, 'is not a schema', 'Write an object, such as {"type": "object"}.'); // prettier-ignore
    } else if (name === '' || name.length > LONGEST_KIND || /\p{C}/u.test(name)) {
      contents.fault('component', { document, pointer }, 'is not a name for a component', `Give the schema a name of up to ${LONGEST_KIND} printable characters.`); // prettier-ignore
    } else if (contents.hasRoom({ document, pointer })) {
      const displayName = displayNameOf(name.split('.').at(-1) ?? name);
      const definition = { kind: name, apiVersion, displayName, schema: library.selfContained(pointer, displayName) };
      const component = componentOf(definition, objectOf(schema), { isNamespaced: false }, config);
      contents.add(model, component, { document, pointer });
    }
  }
}

/** What a resource is put together with. */
export interface Target {
  api: OpenApiDocument;
  library: SchemaLibrary;
  model: ModelDefinition;
  config: GeneratorConfig;
  contents: Contents;
}

/** Adds the component of a kind of Kubernetes. */
export function addResource(resource: KubernetesResource, { api, library, model, config, contents }: Target): void {
  const { kind, schema: name, isNamespaced, plural, subresources } = resource;
  const pointer = schemaPointer(api, name);
  if (!contents.hasRoom({ document: api.document, pointer })) return;
  const displayName = displayNameOf(kind);
  const schema = library.selfContained(pointer, displayName);
  const metadata: JsonObject = {
    ...(isNamespaced === undefined ? {} : { isNamespaced }),
    ...(plural === undefined ? {} : { plural }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
  const definition = { kind, apiVersion: apiVersionOf(resource), displayName, schema };
  const component = componentOf(definition, objectOf(api.schemas[name]), metadata, config);
  contents.add(model, component, { document: api.document, pointer });
}

/** Definitions of Kubernetes that come without a title are known by the names of their Go packages. */
function modelOf(api: OpenApiDocument, config: GeneratorConfig, ofKubernetes: boolean): ModelDefinition {
  const unnamed = ofKubernetes && Object.keys(api.schemas).some((name) => name.startsWith('io.k8s.api.'));
  const title = api.title.replace(/\p{Cc}+/gu, ' ').trim() || (unnamed ? 'Kubernetes' : nameOfFile(api.document.file));
  const { license, termsOfService } = api.info;
  return targetModel(config, {
    name: slugNameOf(title) || 'api',
    displayName: shortened(title, LONGEST_TITLE),
    version: versionIn(api.version),
    description: api.description,
    category: ofKubernetes ? 'Orchestration & Management' : 'App Definition',
    metadata: { ...named('license', objectOf(license)['name']), ...named('termsOfService', termsOfService) },
  });
}

function named(name: string, value: Json | undefined): JsonObject {
  return typeof value === 'string' && value !== '' ? { [name]: shortened(value, LONGEST_TITLE) } : {};
}

function nameOfFile(path: string): string {
  return (path.split(/[/\\?#]/).at(-1) ?? '').replace(/\.(?:ya?ml|json)$/i, '');
}
