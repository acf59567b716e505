import { findChartFolders } from '../../../formats/helm/chart-folders.js';
import { createDesign } from '../../../formats/design-file/canonical-design.js';
import { DEFAULT_FORMAT_LIMITS } from '../../../formats/sources/format-limits.js';
import { type ChartRelease } from '../../../formats/helm/helm.js';
import { createMissingRenderEngines } from '../../../formats/engines/local-render-engines.js';
import { type Format, type FormatInput, type ImportedDesign, type ImportOptions } from '../format.js';
import { readChartSource } from './chart-source.js';
import { mergeValues, toReleaseName, toHelmSettings, parseValues } from './release.js';
import { ChartRenderer } from './chart-renderer.js';

const TEMPLATE = /^(?:[^/]+\/)?templates\//;

/** A chart in an archive, rendered by the Helm program with the values of the caller. */
export const helmFormat: Format = {
  sourceType: 'helm',
  extensions: ['.tgz', '.tar.gz', '.tar', '.zip'],
  description: 'A Helm chart with its dependencies: a packed one, or its folder in an archive',
  available: ({ helm }) => helm.isAvailable(),
  detect,
  read,
};

function detect(input: FormatInput): boolean {
  if (!input.archive) return false;
  return findChartFolders(input.files.keys()).length > 0 || isHeadless(input);
}

/** A chart but for its Chart.yaml, which reading tells; as anything else its templates would only be unsound YAML. */
function isHeadless({ files }: FormatInput): boolean {
  return [...files].some(([path, { bytes }]) => TEMPLATE.test(path) && Buffer.from(bytes).includes('{{'));
}

async function read(input: FormatInput, options: ImportOptions): Promise<ImportedDesign> {
  const limits = { ...DEFAULT_FORMAT_LIMITS, ...options.limits };
  const chart = await readChartSource(input, limits);
  const name = options.name ?? chart.head.name;
  const release: ChartRelease = {
    releaseName: options.release?.name ?? toReleaseName(name),
    namespace: options.release?.namespace ?? 'default',
    values: mergeValues(options.valuesBelow ?? {}, await parseValues(options.values, input)),
  };
  const { helm } = options.programs ?? createMissingRenderEngines();
  const rendering = new ChartRenderer(helm, input, chart.files, release, limits);
  const { components, notes, warnings } = await rendering.render();
  const metadata = { helm: { ...toHelmSettings(chart.head, release), ...(notes === '' ? {} : { notes }) } };
  return { name, design: createDesign({ name, components, metadata }), sourceType: 'helm', warnings };
}
