/**
 * The content of a kustomize field: `data` names nothing, `file` names files, `source` names files as `key=path`, `base` names files or
 * folders, `patch` and `plugin` name files or hold their content; nested fields are those of an object, or of each object of a list.
 */
export type FieldKind = 'data' | 'file' | 'source' | 'base' | 'patch' | 'plugin' | AllowedFields;
export interface AllowedFields {
  readonly [name: string]: FieldKind;
}

const dataFields = (...names: string[]): AllowedFields =>
  Object.fromEntries(names.map((name) => [name, 'data'] as const));

const TYPE = dataFields('apiVersion', 'kind', 'metadata');
const SOURCES: AllowedFields = { files: 'source', envs: 'file', env: 'file' };
const GENERATOR: AllowedFields = {
  ...dataFields('name', 'namespace', 'behavior', 'literals', 'options', 'immutable'),
  ...SOURCES,
};
const PATCH: AllowedFields = { ...dataFields('target', 'patch', 'options'), path: 'file' };
const REPLACEMENT: AllowedFields = { ...dataFields('source', 'targets'), path: 'file' };

/** The fields of a Kustomization and of a Component. The program ignores case; here only the exact names are accepted. */
export const KUSTOMIZATION_FIELDS: AllowedFields = {
  ...TYPE,
  ...dataFields(
    'namePrefix',
    'nameSuffix',
    'namespace',
    'commonLabels',
    'labels',
    'commonAnnotations',
    'images',
    'imageTags',
  ),
  ...dataFields('replicas', 'vars', 'sortOptions', 'generatorOptions', 'inventory', 'buildMetadata'),
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

/** Fields that the program uses only with charts, which are refused. */
export const CHART_FIELDS: ReadonlySet<string> = new Set([
  'helmCharts',
  'helmChartInflationGenerator',
  'helmGlobals',
  'HelmChartInflationGenerator',
]);

const BUILTINS: Readonly<Record<string, AllowedFields>> = {
  AnnotationsTransformer: dataFields('annotations', 'fieldSpecs'),
  ConfigMapGenerator: GENERATOR,
  HashTransformer: {},
  IAMPolicyGenerator: dataFields('cloud', 'kubernetesService', 'serviceAccount'),
  ImageTagTransformer: dataFields('imageTag', 'fieldSpecs'),
  LabelTransformer: dataFields('labels', 'fieldSpecs'),
  LegacyOrderTransformer: {},
  NamespaceTransformer: dataFields('namespace', 'fieldSpecs', 'unsetOnly', 'setRoleBindingSubjects'),
  PatchJson6902Transformer: { ...PATCH, jsonOp: 'data' },
  PatchStrategicMergeTransformer: { paths: 'patch', patches: 'data' },
  PatchTransformer: PATCH,
  PrefixSuffixTransformer: dataFields('prefix', 'suffix', 'fieldSpecs'),
  PrefixTransformer: dataFields('prefix', 'fieldSpecs'),
  ReplacementTransformer: { replacements: REPLACEMENT },
  ReplicaCountTransformer: dataFields('replica', 'fieldSpecs'),
  SecretGenerator: { ...GENERATOR, type: 'data' },
  SortOrderTransformer: dataFields('sortOptions'),
  SuffixTransformer: dataFields('suffix', 'fieldSpecs'),
  ValueAddTransformer: dataFields('value', 'targets'),
};

/** The kustomize builtins (`apiVersion: builtin`) that are allowed as generators, transformers and validators, by kind. */
export const BUILTIN_FIELDS: ReadonlyMap<string, AllowedFields> = new Map(
  Object.entries(BUILTINS).map(([kind, fields]) => [kind, { ...TYPE, ...fields }]),
);
