import { chartFolders } from '../../../formats/charts/chart-folders.js';
import { newDesign } from '../../../formats/design-canonical.js';
import { defaultLimits } from '../../../formats/limits.js';
import { type ChartRelease } from '../../../formats/programs/helm.js';
import { noPrograms } from '../../../formats/programs/programs.js';
import { type Format, type FormatInput, type ImportedDesign, type ReadOptions } from '../format.js';
import { chartOf } from './chart-source.js';
import { merged, releaseNameOf, settingsIn, valuesOf } from './release.js';
import { ChartRendering } from './rendering.js';

const TEMPLATE = /^(?:[^/]+\/)?templates\//;

/** A chart in an archive, rendered by the Helm program with the values of the caller. */
export const helmFormat: Format = {
  sourceType: 'helm',
  extensions: ['.tgz', '.tar.gz', '.tar', '.zip'],
  description: 'A Helm chart with its dependencies: a packed one, or its folder in an archive',
  available: ({ helm }) => helm.available(),
  detect,
  read,
};

function detect(input: FormatInput): boolean {
  if (!input.archive) return false;
  return chartFolders(input.files.keys()).length > 0 || isHeadless(input);
}

/** A chart but for its Chart.yaml, which reading tells; as anything else its templates would only be unsound YAML. */
function isHeadless({ files }: FormatInput): boolean {
  return [...files].some(([path, { bytes }]) => TEMPLATE.test(path) && Buffer.from(bytes).includes('{{'));
}

async function read(input: FormatInput, options: ReadOptions): Promise<ImportedDesign> {
  const limits = { ...defaultLimits, ...options.limits };
  const chart = await chartOf(input, limits);
  const name = options.name ?? chart.head.name;
  const release: ChartRelease = {
    releaseName: options.release?.name ?? releaseNameOf(name),
    namespace: options.release?.namespace ?? 'default',
    values: merged(options.valuesBelow ?? {}, await valuesOf(options.values, input)),
  };
  const { helm } = options.programs ?? noPrograms();
  const rendering = new ChartRendering(helm, input, chart.files, release, limits);
  const { components, notes, warnings } = await rendering.render();
  const metadata = { helm: { ...settingsIn(chart.head, release), ...(notes === '' ? {} : { notes }) } };
  return { name, design: newDesign({ name, components, metadata }), sourceType: 'helm', warnings };
}
