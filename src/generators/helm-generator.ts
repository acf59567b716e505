import { findChartFolders } from '../formats/helm/chart-folders.js';
import { parseChartDependencies } from '../formats/helm/chart-metadata.js';
import { type Json, asObject, asText } from '../core/json/json.js';
import { type SourceFile } from '../formats/sources/source-file.js';
import { type ModelDefinition } from '../formats/definitions/definitions.js';
import { chartCategory } from './model-category.js';
import { type Chart, DEFINITION_LINE, readChart, expandSubcharts } from './chart.js';
import { readValuesSchema } from './chart-values.js';
import { buildComponent } from './build-component.js';
import { GenerationCollector } from './generation-collector.js';
import { addDefinition, parseDefinitions } from './crd-generator.js';
import { toDisplayName, toPascalCase } from './display-name.js';
import { type GenerationResult, type Generator, type GeneratorConfig } from './generator.js';
import { truncateText } from './truncate-text.js';
import { GeneratorSource } from './generator-source.js';
import { buildTargetModel } from './target-model.js';

/** The maximum characters of a value of Chart.yaml. An icon may be a data URL. */
const MAX_TEXT_LENGTH = 100_000;
const MAX_TEXTS = 100;

/**
 * Generates the model of a packed chart: components of its definitions and those of its subcharts, and a component for the chart itself.
 * The component of `ingress-nginx` is `IngressNginxChart` of `helm.sh/v2` (the apiVersion of Chart.yaml); its schema is that of the values.
 */
export const helmGenerator: Generator = {
  kind: 'helm',
  description: 'a Helm chart (.tgz, as "helm package" makes it, or its folder in an archive)',
  detect: (source) => source.archive && findChartFolders(source.files.map(({ path }) => path)).length > 0,
  generate,
};

async function generate(
  source: GeneratorSource,
  config: GeneratorConfig,
  rendered?: string,
): Promise<GenerationResult> {
  const contents = new GenerationCollector();
  const chart = readChart(source, contents);
  if (!chart) return contents.build(source.name);
  const files = await expandSubcharts(source, contents);
  const whole = new GeneratorSource(source.name, true, files, source.limits, 'kubernetes');
  const model = buildModel(chart, config);
  addChart(chart, whole, model, config, contents);
  const plain = files.filter(
    ({ path }) => path.startsWith(chart.root) && isDefinitionFile(path.slice(chart.root.length)),
  );
  const templates =
    rendered === undefined ? findPlainTemplates(whole, chart, contents) : [renderedFile(source.name, rendered)];
  for (const file of [...plain, ...templates]) {
    const { definitions } = parseDefinitions(whole, [file], contents);
    for (const definition of definitions) addDefinition(definition, model, config, contents);
  }
  warnOfMissingDependencies(chart, whole, contents);
  return contents.build(source.name);
}

/** Whether a path is in `crds/` of the chart or of a subchart at any depth, packed or not. */
function isDefinitionFile(path: string): boolean {
  return /^(?:charts\/[^/]+\/(?:[^/]+\/)?)*crds\/.+\.(?:ya?ml|json)$/i.test(path);
}

/** The rendered templates, with everything except definitions blanked, so that line numbers are preserved. */
function renderedFile(name: string, text: string): SourceFile {
  const documents = text
    .split(/^(?=---)/m)
    .map((document) => (DEFINITION_LINE.test(document) ? document : document.replace(/[^\n]+/g, '')));
  // Blanking a document removes its separator too; the next document begins with its own.
  return { path: `${name} (rendered)`, bytes: new TextEncoder().encode(documents.join('')) };
}

/** Without a renderer: the templates with definitions that are plain YAML; the others are warnings. */
function findPlainTemplates({ files }: GeneratorSource, { root }: Chart, contents: GenerationCollector): SourceFile[] {
  return files.filter(({ path, bytes }) => {
    if (!path.startsWith(root) || !/(?:^|\/)templates\/.+\.ya?ml$/i.test(path)) return false;
    const text = Buffer.from(bytes).toString('utf8');
    if (!DEFINITION_LINE.test(text)) return false;
    if (!text.includes('{{')) return true;
    contents.addFileWarning(
      path,
      'is a template with a CustomResourceDefinition, which only Helm can read',
      'Make the helm program available (HELM_BIN), or send the definition as a file of its own.',
    );
    return false;
  });
}

function addChart(
  chart: Chart,
  whole: GeneratorSource,
  model: ModelDefinition,
  config: GeneratorConfig,
  contents: GenerationCollector,
): void {
  const { name, version, facts, document } = chart;
  const displayName = toDisplayName(name);
  const values = readValuesSchema(whole, chart, displayName, contents);
  if (!values) return;
  const apiVersion = /^v\d{1,3}$/.test(asText(facts['apiVersion'])) ? asText(facts['apiVersion']) : 'v1';
  const definition = {
    kind: `${toPascalCase(name)}Chart`,
    apiVersion: `helm.sh/${apiVersion}`,
    displayName: `${displayName} Chart`,
    schema: values.schema,
  };
  const metadata = { isNamespaced: true, chart: name, chartVersion: version, schemaFrom: values.from };
  contents.add(model, buildComponent(definition, facts, metadata, config), { document, pointer: '/name' });
}

function buildModel({ name, version, facts }: Chart, config: GeneratorConfig): ModelDefinition {
  const annotations = asObject(facts['annotations']);
  const { appVersion, kubeVersion, icon, home, sources, keywords, type, deprecated } = facts;
  const license = annotations['artifacthub.io/license'] ?? annotations['licenses'];
  const chartFacts = { appVersion, kubeVersion, icon, home, sources, keywords, chartType: type, license };
  const metadata = Object.fromEntries(Object.entries(chartFacts).flatMap(([key, value]) => readFacts(key, value)));
  return buildTargetModel(config, {
    name,
    version,
    description: asText(facts['description']),
    category: chartCategory(asText(annotations['artifacthub.io/category'])) ?? 'App Definition',
    metadata: { ...metadata, ...(deprecated === true ? { isDeprecated: true } : {}) },
  });
}

/** Texts and lists of texts; an unquoted appVersion may be a number. */
function readFacts(key: string, value: Json | undefined): [string, Json][] {
  if (Array.isArray(value)) {
    const texts = value.filter((item) => typeof item === 'string');
    return [[key, texts.slice(0, MAX_TEXTS).map((text) => truncateText(text, MAX_TEXT_LENGTH))]];
  }
  const text = typeof value === 'number' ? String(value) : asText(value);
  return text === '' ? [] : [[key, truncateText(text, MAX_TEXT_LENGTH)]];
}

/** Dependencies are never fetched; adds a warning for each one that the archive does not contain. */
function warnOfMissingDependencies(
  { root, document }: Chart,
  { files }: GeneratorSource,
  contents: GenerationCollector,
): void {
  for (const { name, ...place } of parseChartDependencies([document])) {
    const folder = `${root}charts/${name}`;
    if (files.some(({ path }) => path.startsWith(`${folder}/`) || path.startsWith(`${folder}-`))) continue;
    contents.addWarning(
      place,
      `the chart ${truncateText(name, 100)} is not in the archive; its definitions are left out`,
      'Run "helm dependency build" before "helm package".',
    );
  }
}
