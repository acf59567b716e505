/**
 * What a field of kustomize holds: `data` names nothing, `file` names files, `source` names files as `key=path`, `base` names files or
 * folders, `patch` and `plugin` name files or hold their content; nested fields are those of an object, or of each object of a list.
 */
export type Field = 'data' | 'file' | 'source' | 'base' | 'patch' | 'plugin' | Fields;
export interface Fields {
  readonly [name: string]: Field;
}

const data = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, 'data'] as const));

const TYPE = data('apiVersion', 'kind', 'metadata');
const SOURCES: Fields = { files: 'source', envs: 'file', env: 'file' };
const GENERATOR: Fields = { ...data('name', 'namespace', 'behavior', 'literals', 'options', 'immutable'), ...SOURCES };
const PATCH: Fields = { ...data('target', 'patch', 'options'), path: 'file' };
const REPLACEMENT: Fields = { ...data('source', 'targets'), path: 'file' };

/** The fields of a Kustomization and of a Component. The program takes names in any case; here a name that is not exactly one of these is refused. */
export const kustomizationFields: Fields = {
  ...TYPE,
  ...data(
    'namePrefix',
    'nameSuffix',
    'namespace',
    'commonLabels',
    'labels',
    'commonAnnotations',
    'images',
    'imageTags',
  ),
  ...data('replicas', 'vars', 'sortOptions', 'generatorOptions', 'inventory', 'buildMetadata'),
  resources: 'base',
  bases: 'base',
  components: 'base',
  crds: 'file',
  configurations: 'file',
  openapi: { version: 'data', path: 'file' },
  patches: PATCH,
  patchesJson6902: PATCH,
  patchesStrategicMerge: 'patch',
  replacements: REPLACEMENT,
  configMapGenerator: GENERATOR,
  secretGenerator: { ...GENERATOR, type: 'data' },
  generators: 'plugin',
  transformers: 'plugin',
  validators: 'plugin',
};

/** What the program would do only with charts, which are refused. */
export const INFLATORS: ReadonlySet<string> = new Set([
  'helmCharts',
  'helmChartInflationGenerator',
  'helmGlobals',
  'HelmChartInflationGenerator',
]);

const BUILTINS: Readonly<Record<string, Fields>> = {
  AnnotationsTransformer: data('annotations', 'fieldSpecs'),
  ConfigMapGenerator: GENERATOR,
  HashTransformer: {},
  IAMPolicyGenerator: data('cloud', 'kubernetesService', 'serviceAccount'),
  ImageTagTransformer: data('imageTag', 'fieldSpecs'),
  LabelTransformer: data('labels', 'fieldSpecs'),
  LegacyOrderTransformer: {},
  NamespaceTransformer: data('namespace', 'fieldSpecs', 'unsetOnly', 'setRoleBindingSubjects'),
  PatchJson6902Transformer: { ...PATCH, jsonOp: 'data' },
  PatchStrategicMergeTransformer: { paths: 'patch', patches: 'data' },
  PatchTransformer: PATCH,
  PrefixSuffixTransformer: data('prefix', 'suffix', 'fieldSpecs'),
  PrefixTransformer: data('prefix', 'fieldSpecs'),
  ReplacementTransformer: { replacements: REPLACEMENT },
  ReplicaCountTransformer: data('replica', 'fieldSpecs'),
  SecretGenerator: { ...GENERATOR, type: 'data' },
  SortOrderTransformer: data('sortOptions'),
  SuffixTransformer: data('suffix', 'fieldSpecs'),
  ValueAddTransformer: data('value', 'targets'),
};

/** The builtins of kustomize (`apiVersion: builtin`) that generators, transformers and validators may be, by kind. */
export const builtins: ReadonlyMap<string, Fields> = new Map(
  Object.entries(BUILTINS).map(([kind, fields]) => [kind, { ...TYPE, ...fields }]),
);
