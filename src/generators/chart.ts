import { findChartFolders } from '../formats/helm/chart-folders.js';
import { parseChartDependencies } from '../formats/helm/chart-metadata.js';
import { isPackedChart, unpackNestedCharts } from '../formats/helm/nested-charts.js';
import { type JsonObject, asText } from '../core/json/json.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import { type SourceFile } from '../formats/sources/source-file.js';
import { type GenerationCollector } from './generation-collector.js';
import { type GeneratorSource } from './generator-source.js';

const NAME_PATTERN = /^[A-Za-z0-9._-]{1,250}$/;
const VERSION_PATTERN = /^v?\d+(?:\.\d+){0,2}(?:[-+][0-9A-Za-z.+-]*)?$/;
/** The line by which a file or template is recognized as a CustomResourceDefinition. */
export const DEFINITION_LINE = /^[ \t]*kind:[ \t]*["']?CustomResourceDefinition/m;

/** The metadata of a chart from its Chart.yaml. */
export interface Chart {
  /** The folder of the chart with a trailing `/`, or empty. */
  root: string;
  name: string;
  version: string;
  facts: JsonObject;
  /** Chart.yaml. */
  document: LocatedDocument;
}

/** Whether templates of a chart may render definitions: a file outside `crds/` contains one, or there is a packed subchart. */
export function mayDefineInTemplates(files: readonly SourceFile[]): boolean {
  return files.some(({ path, bytes }) => {
    if (isPackedChart(path)) return true;
    if (/(?:^|\/)crds\//.test(path)) return false;
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return content.includes('CustomResourceDefinition') && DEFINITION_LINE.test(content.toString('latin1'));
  });
}

/** Reads Chart.yaml; undefined for an invalid chart, with the faults in `contents`. */
export function readChart(source: GeneratorSource, contents: GenerationCollector): Chart | undefined {
  const folders = findChartFolders(source.files.map(({ path }) => path));
  const [folder = '', ...more] = folders;
  if (folders.length !== 1) {
    const detail =
      folders.length === 0
        ? 'has no Chart.yaml'
        : `holds ${more.length + 1} charts (${folders
            .slice(0, 5)
            .map((each) => `${each}/`)
            .join(', ')})`;
    contents.rejectFile(source.name, { detail, remedy: 'Send one chart, as "helm package" makes it.' });
    return undefined;
  }
  const root = folder === '' ? '' : `${folder}/`;
  const file = source.files.find(({ path }) => path === `${root}Chart.yaml`);
  if (!file) return undefined;
  const documents = source.tryDocuments(file);
  if (!Array.isArray(documents)) {
    contents.rejectFile(file.path, documents);
    return undefined;
  }
  const [document] = documents;
  const facts = document?.object;
  if (!document || !facts) {
    contents.rejectFile(file.path, { detail: 'must be an object', remedy: 'Write name, version and apiVersion.' });
    return undefined;
  }
  let sound = true;
  const fault = (pointer: string, detail: string, remedy: string): void => {
    sound = false;
    contents.addFault('model', { document, pointer }, detail, remedy);
  };
  const name = asText(facts['name']);
  const version = typeof facts['version'] === 'number' ? String(facts['version']) : asText(facts['version']);
  if (!NAME_PATTERN.test(name))
    fault('/name', 'must be letters, digits, hyphens, dots and underscores', 'Write it as in "name: ingress-nginx".');
  if (!VERSION_PATTERN.test(version))
    fault('/version', 'must be a semantic version', 'Write it as in "version: 1.2.3".');
  for (const dependency of parseChartDependencies([document]))
    if (dependency.name === name)
      fault(dependency.pointer, 'is the chart itself, so that it cannot be installed', 'Remove the dependency.');
  return sound ? { root, name, version, facts, document } : undefined;
}

/** The files of a chart with those of its packed subcharts, below `charts/NAME-1.2.3.tgz/`; subcharts that cannot be unpacked are faults in `contents`. */
export async function expandSubcharts(
  { files, limits }: GeneratorSource,
  contents: GenerationCollector,
): Promise<SourceFile[]> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const whole = await unpackNestedCharts(byPath, limits, (file, error) => contents.rejectFile(file.path, error));
  return [...whole.values()];
}
