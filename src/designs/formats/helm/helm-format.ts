import { createDesign } from '../../../formats/design-file/canonical-design.js';
import { DEFAULT_FORMAT_LIMITS } from '../../../formats/sources/format-limits.js';
import { InvalidRequest } from '../../../core/errors/app-error.js';
import { asObject, asText, type JsonObject } from '../../../core/json/json.js';
import type { ServedKind } from '../../../formats/helm/chart-api.js';
import { CRDS_FILE } from '../../../formats/design-file/helm-hook.js';
import { type ChartFiles, type ChartRelease } from '../../../formats/helm/helm.js';
import { findMistypedValues } from './mistyped-values.js';
import { createMissingRenderEngines } from '../../../formats/engines/local-render-engines.js';
import { type Format, type FormatInput, type ImportedDesign, type ImportOptions } from '../format.js';
import { findChosenCharts, readChartSource } from './chart-source.js';
import { mergeValues, toReleaseName, toHelmSettings, parseValues } from './release.js';
import { ChartRenderer } from './chart-renderer.js';

const TEMPLATE = /^(?:[^/]+\/)?templates\//;

/** A chart in an archive, rendered by the Helm program with the given values. */
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
  return findChosenCharts(input).length > 0 || isHeadless(input);
}

/**
 * Detects a chart without Chart.yaml, so that the missing file is reported. Any other format would report its templates as
 * malformed YAML.
 */
function isHeadless(input: FormatInput): boolean {
  return [...input.files].some(
    ([path, { bytes }]) => input.isChosen(path) && TEMPLATE.test(path) && Buffer.from(bytes).includes('{{'),
  );
}

async function read(input: FormatInput, options: ImportOptions): Promise<ImportedDesign> {
  const limits = { ...DEFAULT_FORMAT_LIMITS, ...options.limits };
  const chart = await readChartSource(input, limits);
  const name = options.name ?? chart.head.name;
  const release: ChartRelease = {
    releaseName: options.release?.name ?? toReleaseName(name),
    namespace: options.release?.namespace ?? 'default',
    values: mergeValues(options.valuesBelow ?? {}, await parseValues(options.values, input)),
    ...(options.destination
      ? { destination: { ...options.destination, defined: await readDefinedKinds(chart.files, input) } }
      : {}),
  };
  const { helm } = options.programs ?? createMissingRenderEngines();
  const rendering = new ChartRenderer(helm, input, chart.files, release, limits);
  const { components, notes, generated, warnings } = await rendering.render().catch(async (error: unknown) => {
    throw (await findValuesError(error, release.values ?? {}, chart.files, input)) ?? error;
  });
  const helmMetadata = {
    ...toHelmSettings(chart.head, release, options.release?.namespace),
    ...(notes === '' ? {} : { notes }),
    ...(generated.length === 0 ? {} : { generated: generated.map((call) => ({ ...call })) }),
  };
  const metadata = { helm: helmMetadata };
  return { name, design: createDesign({ name, components, metadata }), sourceType: 'helm', warnings };
}

/** The kinds of the definitions in `crds/` of a chart and of those that it depends on; a definition that cannot be read is reported later. */
async function readDefinedKinds(files: ChartFiles, input: FormatInput): Promise<ServedKind[]> {
  const kinds: ServedKind[] = [];
  for (const [path, file] of files) {
    if (!CRDS_FILE.test(path)) continue;
    for (const { object } of await input.parse(file).catch(() => [])) kinds.push(...toServedKinds(object ?? {}));
  }
  return kinds;
}

function toServedKinds(definition: JsonObject): ServedKind[] {
  if (definition['kind'] !== 'CustomResourceDefinition') return [];
  const { group, names, scope, versions } = asObject(definition['spec']);
  const { kind, plural } = asObject(names);
  return (Array.isArray(versions) ? versions : []).map(asObject).flatMap(({ name, served }) => {
    if (served === false || asText(name) === '') return [];
    const apiVersion = `${asText(group)}/${asText(name)}`;
    return [{ apiVersion, kind: asText(kind), plural: asText(plural), namespaced: scope === 'Namespaced' }];
  });
}

/** For a chart that does not render: the faults of the given values, when they explain it. */
async function findValuesError(
  error: unknown,
  sent: JsonObject,
  files: ChartFiles,
  input: FormatInput,
): Promise<InvalidRequest | undefined> {
  if (!(error instanceof InvalidRequest) || error.code !== 'VALIDATION_FAILED') return undefined;
  const own = files.get('values.yaml');
  const [defaults] = own ? await input.parse(own).catch(() => []) : [];
  const errors = findMistypedValues(sent, defaults?.object ?? {});
  const [first] = errors;
  return first && new InvalidRequest(`values: ${first.detail}`, { errors, remedy: first.remedy, cause: error });
}
