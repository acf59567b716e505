import { type FormatLimits } from '../formats/sources/format-limits.js';
import { type SourceFile } from '../formats/sources/source-file.js';
import { type RegistrantDefinition } from '../formats/definitions/definitions.js';
import { GenerationCollector } from './generation-collector.js';
import { addDefinitionsByDomain, parseDefinitions } from './crd-generator.js';
import { type GenerationResult, type GeneratorConfig } from './generator.js';
import { readKubernetesResources } from './kubernetes-resources.js';
import { readOpenApi } from './openapi-document.js';
import { addResource } from './openapi-generator.js';
import { SchemaLibrary } from './schema-library.js';
import { GeneratorSource } from './generator-source.js';
import { modelNameOfGroup, buildTargetModel, parseVersion } from './target-model.js';

/** The documents that an API server publishes about its API. */
export interface ClusterInput {
  /** The name of the cluster in faults. */
  name: string;
  /** `gitVersion` of /version. */
  version: string;
  /** The documents below /openapi/v3, one for each group and version; faults show their names (`apis/apps/v1`). */
  documents: readonly SourceFile[];
  /** Pages of the list of CustomResourceDefinitions. */
  definitions: readonly SourceFile[];
  config: Pick<GeneratorConfig, 'registrant' | 'sourceUri' | 'category'>;
  limits: FormatLimits;
}

const KUBERNETES_REGISTRANT: RegistrantDefinition = { hostname: 'kubernetes', kind: 'kubernetes' };
/** The Go packages of the API groups built into kube-apiserver. */
const BUILT_IN_PACKAGES = /^io\.k8s\.(?:api|apiextensions-apiserver|kube-aggregator)\./;

/**
 * The models of a cluster: `kubernetes`, in the version of its API server, for the built-in groups; one for each domain of its
 * CustomResourceDefinitions; and one for each domain of its aggregated API servers.
 */
export function generateFromCluster({
  name,
  version,
  documents,
  definitions,
  config,
  limits,
}: ClusterInput): GenerationResult {
  const contents = new GenerationCollector();
  const custom = new GeneratorSource(name, true, definitions, limits);
  const ownConfig = { registrant: KUBERNETES_REGISTRANT, ...config };
  const read = parseDefinitions(custom, definitions, contents);
  const groups = new Set(read.definitions.map(({ resource }) => resource.group));
  const source = new GeneratorSource(name, true, documents, limits);
  for (const file of documents) addGroup(file, { source, groups, version, config: ownConfig, contents });
  addDefinitionsByDomain(read.definitions, ownConfig, contents);
  return contents.build(name);
}

interface ClusterContext {
  source: GeneratorSource;
  /** Groups of CustomResourceDefinitions, which contain more than the OpenAPI documents of these groups. */
  groups: ReadonlySet<string>;
  version: string;
  config: GeneratorConfig;
  contents: GenerationCollector;
}

function addGroup(file: SourceFile, { source, groups, version, config, contents }: ClusterContext): void {
  const documents = source.tryDocuments(file);
  if (!Array.isArray(documents)) return contents.rejectFile(file.path, documents);
  for (const document of documents) {
    const api = readOpenApi(document, contents);
    if (!api) continue;
    const library = new SchemaLibrary(document, contents);
    for (const resource of readKubernetesResources(api)) {
      if (groups.has(resource.group)) continue;
      const builtIn = BUILT_IN_PACKAGES.test(resource.schema);
      const facts = builtIn
        ? { name: 'kubernetes', version: parseVersion(version), description: 'The resources of Kubernetes itself.' }
        : { name: modelNameOfGroup(resource.group) };
      const model = buildTargetModel(config, { ...facts, category: 'Orchestration & Management' });
      addResource(resource, { api, library, model, config, contents });
    }
  }
}
