import { chartFolders } from '../../formats/charts/chart-folders.js';
import { dependenciesOf } from '../../formats/charts/chart-head.js';
import { type Json, objectOf, textOf } from '../../formats/located.js';
import { type SourceFile } from '../../formats/source-file.js';
import { type ModelDefinition } from '../definition.js';
import { categoryOfChart } from './category.js';
import { type Chart, DEFINITION, readChart, withSubcharts } from './chart.js';
import { schemaOfValues } from './chart-values.js';
import { componentOf } from './component.js';
import { Contents } from './contents.js';
import { addDefinition, readDefinitions } from './crd.js';
import { displayNameOf, pascalCaseOf } from './display-name.js';
import { type Generated, type Generator, type GeneratorConfig } from './generator.js';
import { shortened } from './shortened.js';
import { Source } from './source.js';
import { targetModel } from './target-model.js';

/** Of what Chart.yaml tells. An icon may be an image within a data URL. */
const LONGEST_TEXT = 100_000;
const MOST_TEXTS = 100;

/**
 * A packed chart: its definitions and those of its subcharts, and a component for the chart itself, all in the model of the chart.
 * The component of `ingress-nginx` is `IngressNginxChart` of `helm.sh/v2` (the apiVersion of Chart.yaml); its schema is that of the values.
 */
export const helmGenerator: Generator = {
  kind: 'helm',
  description: 'a Helm chart (.tgz, as "helm package" makes it, or its folder in an archive)',
  detect: (source) => source.archive && chartFolders(source.files.map(({ path }) => path)).length > 0,
  generate,
};

async function generate(source: Source, config: GeneratorConfig, rendered?: string): Promise<Generated> {
  const contents = new Contents();
  const chart = readChart(source, contents);
  if (!chart) return contents.finish(source.name);
  const files = await withSubcharts(source, contents);
  const whole = new Source(source.name, true, files, source.limits, 'kubernetes');
  const model = modelOf(chart, config);
  addChart(chart, whole, model, config, contents);
  const plain = files.filter(
    ({ path }) => path.startsWith(chart.root) && isDefinitionFile(path.slice(chart.root.length)),
  );
  const templates =
    rendered === undefined ? templatesOf(whole, chart, contents) : [renderedFile(source.name, rendered)];
  for (const file of [...plain, ...templates]) {
    const { definitions } = readDefinitions(whole, [file], contents);
    for (const definition of definitions) addDefinition(definition, model, config, contents);
  }
  warnOfMissing(chart, whole, contents);
  return contents.finish(source.name);
}

/** Of the chart, of a subchart, or of a subchart of that, packed or not. */
function isDefinitionFile(path: string): boolean {
  return /^(?:charts\/[^/]+\/(?:[^/]+\/)?)*crds\/.+\.(?:ya?ml|json)$/i.test(path);
}

/** What templates rendered to, with everything blanked that is no definition, so that lines keep their numbers. */
function renderedFile(name: string, text: string): SourceFile {
  const documents = text.split(/^(?=---)/m).map((document) => (DEFINITION.test(document) ? document : document.replace(/[^\n]+/g, ''))); // prettier-ignore
  // A blanked document has lost its separator, which the next one brings along.
  return { path: `${name} (rendered)`, bytes: new TextEncoder().encode(documents.join('')) };
}

/** Without a renderer: templates with definitions that are plain YAML; the others are told of. */
function templatesOf({ files }: Source, { root }: Chart, contents: Contents): SourceFile[] {
  return files.filter(({ path, bytes }) => {
    if (!path.startsWith(root) || !/(?:^|\/)templates\/.+\.ya?ml$/i.test(path)) return false;
    const text = Buffer.from(bytes).toString('utf8');
    if (!DEFINITION.test(text)) return false;
    if (!text.includes('{{')) return true;
    contents.warnOfFile(path, 'is a template with a CustomResourceDefinition, which only Helm can read', 'Make the helm program available (HELM_BIN), or send the definition as a file of its own.'); // prettier-ignore
    return false;
  });
}

function addChart(
  chart: Chart,
  whole: Source,
  model: ModelDefinition,
  config: GeneratorConfig,
  contents: Contents,
): void {
  const { name, version, facts, document } = chart;
  const displayName = displayNameOf(name);
  const values = schemaOfValues(whole, chart, displayName, contents);
  if (!values) return;
  const apiVersion = /^v\d{1,3}$/.test(textOf(facts['apiVersion'])) ? textOf(facts['apiVersion']) : 'v1';
  const definition = {
    kind: `${pascalCaseOf(name)}Chart`,
    apiVersion: `helm.sh/${apiVersion}`,
    displayName: `${displayName} Chart`,
    schema: values.schema,
  };
  const metadata = { isNamespaced: true, chart: name, chartVersion: version, schemaFrom: values.from };
  contents.add(model, componentOf(definition, facts, metadata, config), { document, pointer: '/name' });
}

function modelOf({ name, version, facts }: Chart, config: GeneratorConfig): ModelDefinition {
  const annotations = objectOf(facts['annotations']);
  const { appVersion, kubeVersion, icon, home, sources, keywords, type, deprecated } = facts;
  const license = annotations['artifacthub.io/license'] ?? annotations['licenses'];
  const told = { appVersion, kubeVersion, icon, home, sources, keywords, chartType: type, license };
  const metadata = Object.fromEntries(Object.entries(told).flatMap(([key, value]) => kept(key, value)));
  return targetModel(config, {
    name,
    version,
    description: textOf(facts['description']),
    category: categoryOfChart(textOf(annotations['artifacthub.io/category'])) ?? 'App Definition',
    metadata: { ...metadata, ...(deprecated === true ? { isDeprecated: true } : {}) },
  });
}

/** Texts and lists of texts; an appVersion without quotes is a number. */
function kept(key: string, value: Json | undefined): [string, Json][] {
  if (Array.isArray(value)) {
    const texts = value.filter((item) => typeof item === 'string');
    return [[key, texts.slice(0, MOST_TEXTS).map((text) => shortened(text, LONGEST_TEXT))]];
  }
  const text = typeof value === 'number' ? String(value) : textOf(value);
  return text === '' ? [] : [[key, shortened(text, LONGEST_TEXT)]];
}

/** Dependencies are never fetched; what of them is not in the archive is told of. */
function warnOfMissing({ root, document }: Chart, { files }: Source, contents: Contents): void {
  for (const { name, ...place } of dependenciesOf([document])) {
    const folder = `${root}charts/${name}`;
    if (files.some(({ path }) => path.startsWith(`${folder}/`) || path.startsWith(`${folder}-`))) continue;
    contents.warn(place, `the chart ${shortened(name, 100)} is not in the archive; its definitions are left out`, 'Run "helm dependency build" before "helm package".'); // prettier-ignore
  }
}
