import { stringifyExact } from '../../core/json/large-integers.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { IGNORE_FILE } from './helm-ignore.js';
import { unpackNestedCharts } from './nested-charts.js';
import { removeRemoteSchemas } from './values-schema.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../sources/format-limits.js';
import type { JsonObject } from '../../core/json/json.js';
import { type SourceFile } from '../sources/source-file.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { parseHelmFaults } from './helm-faults.js';
import { type ProgramRenderer } from '../programs/program.js';

/** Files by path seen from the folder of Chart.yaml, without those that its `.helmignore` excludes; `path` of each is what faults show. */
export type ChartFiles = ReadonlyMap<string, SourceFile>;

export interface ChartRelease {
  /** Of Helm's form: up to 53 lowercase letters, digits, `-` and `.`. */
  releaseName: string;
  namespace: string;
  values?: JsonObject;
  /** Whether the definitions of `crds/` are part of the answer; true by default. */
  includeCrds?: boolean;
  /** The cluster version that the chart sees; Helm's own by default. */
  kubeVersion?: string;
}

/** Notes are for people and may fail on purpose; without them a chart renders as with `helm template`. */
const NOTES_FILE = /^(?:charts\/[^/]+\/)*templates\/(?:.*\/)?NOTES\.txt$/;

/** The Helm engine: runs the program on the files of one chart, without access to clusters, repositories and the network. */
export class Helm {
  constructor(
    private readonly program: ProgramRenderer,
    private readonly limits: FormatLimits = DEFAULT_FORMAT_LIMITS,
  ) {}

  isAvailable(): Promise<boolean> {
    return this.program.isAvailable();
  }

  /**
   * The rendered output of a chart: YAML documents, each after a line `# Source: <chart>/<template>`, hooks and tests last.
   * Throws InvalidRequest with located faults when the chart does not render, `TOO_COSTLY` when it does not end, `PROGRAM_MISSING` without Helm.
   */
  async template(files: ChartFiles, release: ChartRelease): Promise<string> {
    const whole = await unpackNestedCharts(files, this.limits);
    const work = new Map<string, Uint8Array>();
    const turns = new TimeSlicer();
    for (const [path, file] of whole) {
      // Its rules have been applied, before packed dependencies became folders that would match them.
      if (path !== IGNORE_FILE && !NOTES_FILE.test(path)) work.set(`chart/${path}`, removeRemoteSchemas(path, file));
      await turns.yieldToEventLoop();
    }
    work.set('values.json', Buffer.from(stringifyExact(release.values ?? {})));
    const name = files.get('Chart.yaml')?.path ?? 'Chart.yaml';
    const { status, stdout: output, stderr: said } = await this.program.run(buildArguments(release), work, name);
    if (status === 0) return output;
    const errors = parseHelmFaults(said, whole);
    const [first] = errors;
    throw new InvalidRequest(`${first?.file ?? name}: ${first?.detail ?? 'does not render'}`, {
      errors,
      remedy: first?.remedy,
    });
  }
}

function buildArguments({ releaseName, namespace, includeCrds = true, kubeVersion }: ChartRelease): string[] {
  return [
    'template',
    releaseName,
    './chart',
    '--namespace',
    namespace,
    '--values',
    'values.json',
    ...(includeCrds ? ['--include-crds'] : []),
    ...(kubeVersion === undefined ? [] : ['--kube-version', kubeVersion]),
  ];
}
