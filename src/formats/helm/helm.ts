import { posix } from 'node:path';
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
import { type RenderInput } from '../programs/program.js';
import { type ProgramResult } from '../programs/program-runner.js';
import type { ChartQuestion, ChartReport, ServedKind } from './chart-api.js';
import {
  findGenerating,
  EMPTY_LOOKUP,
  instrumentTemplate,
  listCalls,
  type TemplateCalls,
  type TemplateSite,
} from './template-instruments.js';

/** Files by path seen from the folder of Chart.yaml, without those that its `.helmignore` excludes; `path` of each is what faults show. */
export type ChartFiles = ReadonlyMap<string, SourceFile>;

export interface ChartRelease {
  /** Of Helm's form: up to 53 lowercase letters, digits, `-` and `.`. */
  releaseName: string;
  namespace: string;
  values?: JsonObject;
  /** Where it is installed; without it the chart sees the cluster that is built into Helm. */
  destination?: ChartDestination;
}

/** The history of a release on the cluster that it is rendered for. */
export interface ChartDestination {
  isUpgrade: boolean;
  /** From 1. */
  revision: number;
  /** There is no cluster: the versions and APIs of one are assumed. */
  isAssumed?: boolean;
  /** The kinds of the definitions in `crds/`. */
  defined?: readonly ServedKind[];
}

/** The output of a chart, and the calls in its templates that need to be known. */
export interface ChartOutput {
  /** YAML documents, each after a line `# Source: <chart>/<template>`, hooks and tests last. */
  text: string;
  /** Values that the chart has generated, by key. */
  generated: ReadonlyMap<string, TemplateSite>;
  /** Conditions on the cluster that were judged without one. */
  assumed: TemplateSite[];
}

/** A chart to render, and what it needs of its cluster, if it has one. */
export type ChartInput = RenderInput & { chart?: ChartQuestion };
export type ChartResult = ProgramResult & { report?: ChartReport };

/** The Helm program, which may be given a cluster. */
export interface ChartProgram {
  findVersion(): Promise<string | undefined>;
  run(input: ChartInput): Promise<ChartResult>;
}

/** Helm refuses what a chart renders to, and does not show it. */
export class UnbuildableChart extends InvalidRequest {}

/** Notes are for people and may fail on purpose; without them a chart renders as with `helm template`. */
const NOTES_FILE = /^(?:charts\/[^/]+\/)*templates\/(?:.*\/)?NOTES\.txt$/;

/** Sorts before all other templates, because Helm renders deep folders first. */
const RELEASE_FILE = `templates/${'z/'.repeat(40)}armature-release.yaml`;
const TEMPLATE_FILE = /^(?:charts\/[^/]+\/)*templates\//;
const BUILD_ERROR = 'unable to build kubernetes objects from release manifest';
const UNKNOWN_KIND = /no matches for kind "([^"]+)" in version "([^"]+)"/g;
/** The maximum number of times that a chart is rendered to find kinds that its cluster does not have. */
const MAX_ATTEMPTS = 4;

/** The Helm engine: runs the program on the files of one chart, without access to clusters other than the given one, repositories and the network. */
export class Helm {
  constructor(
    private readonly program: ChartProgram,
    private readonly limits: FormatLimits = DEFAULT_FORMAT_LIMITS,
  ) {}

  async isAvailable(): Promise<boolean> {
    return (await this.program.findVersion()) !== undefined;
  }

  /**
   * Renders a chart. Throws InvalidRequest with located faults when the chart does not render, `TOO_COSTLY` when it does not end,
   * `PROGRAM_MISSING` without Helm.
   */
  async template(files: ChartFiles, release: ChartRelease): Promise<ChartOutput> {
    const whole = await unpackNestedCharts(files, this.limits);
    const work = new Map<string, Uint8Array>();
    const turns = new TimeSlicer();
    for (const [path, file] of whole) {
      // Its rules have been applied, before packed dependencies became folders that would match them.
      if (path !== IGNORE_FILE && !NOTES_FILE.test(path)) work.set(`chart/${path}`, removeRemoteSchemas(path, file));
      await turns.yieldToEventLoop();
    }
    work.set('values.json', Buffer.from(stringifyExact(release.values ?? {})));
    const subject = files.get('Chart.yaml')?.path ?? 'Chart.yaml';
    const { destination } = release;
    const sites = destination ? await instrumentFiles(work, destination) : new Map<string, TemplateSite>();
    const args = buildArguments(release, (await this.program.findVersion()) ?? '');
    const { status, stdout: text, stderr: said, report } = await this.run({ args, files: work, subject }, destination);
    if (status === 0) return { text, ...describeCalls(sites, report) };
    const errors = parseHelmFaults(said.replaceAll(EMPTY_LOOKUP, 'lookup'), whole);
    const [first] = errors;
    const Failure = said.includes(BUILD_ERROR) ? UnbuildableChart : InvalidRequest;
    throw new Failure(`${first?.file ?? subject}: ${first?.detail ?? 'does not render'}`, {
      errors,
      remedy: first?.remedy,
    });
  }

  /** Helm looks up the kind of each object; it is told of those that exist only once the chart is deployed. */
  private async run(input: RenderInput, destination: ChartDestination | undefined): Promise<ChartResult> {
    if (!destination) return this.program.run(input);
    const rendered = new Map<string, ServedKind>();
    for (let attempt = 1; ; attempt++) {
      const chart = { defined: destination.defined ?? [], rendered: [...rendered.values()] };
      const result = await this.program.run({ ...input, chart });
      const before = rendered.size;
      for (const [id, kind = '', apiVersion = ''] of result.stderr.matchAll(UNKNOWN_KIND))
        rendered.set(id, { apiVersion, kind, plural: `${kind.toLowerCase()}s`, namespaced: true });
      if (result.status === 0 || rendered.size === before || attempt === MAX_ATTEMPTS) return result;
    }
  }
}

/** Replaces calls of the templates of a chart, and returns these by their ids. */
async function instrumentFiles(
  work: Map<string, Uint8Array>,
  { isUpgrade, revision, isAssumed = false }: ChartDestination,
): Promise<Map<string, TemplateSite>> {
  const texts = new Map<string, string>();
  const turns = new TimeSlicer();
  const calls: TemplateCalls[] = [];
  for (const [file, bytes] of work) {
    const path = file.slice('chart/'.length);
    if (!TEMPLATE_FILE.test(path)) continue;
    const text = Buffer.from(bytes).toString();
    texts.set(path, text);
    for (const one of listCalls(text)) calls.push(one);
    await turns.yieldToEventLoop();
  }
  const generating = findGenerating(calls);
  const sites = new Map<string, TemplateSite>();
  for (const [path, given] of texts) {
    const isRendered = !posix.basename(path).startsWith('_');
    const { text, sites: found } = instrumentTemplate(path, given, { isAssumed, generating, isRendered });
    if (text !== given) work.set(`chart/${path}`, Buffer.from(text));
    for (const site of found) sites.set(site.id, site);
    await turns.yieldToEventLoop();
  }
  const release = { IsUpgrade: isUpgrade, IsInstall: !isUpgrade, Revision: revision };
  const set = Object.entries(release).map(([name, value]) => `{{ $_ := set .Release "${name}" ${value} }}`);
  work.set(`chart/${RELEASE_FILE}`, Buffer.from(set.join('')));
  return sites;
}

function describeCalls(
  known: ReadonlyMap<string, TemplateSite>,
  { generated = [], reached = [], sites = [] }: Partial<ChartReport> = {},
): Omit<ChartOutput, 'text'> {
  const all = new Map([...known, ...sites.map((site) => [site.id, site] as const)]);
  const found = generated.flatMap(({ site, key }) => {
    const call = all.get(site);
    return call ? [[key, call] as const] : [];
  });
  return { generated: new Map(found), assumed: reached.flatMap((id) => all.get(id) ?? []) };
}

function buildArguments({ releaseName, namespace, destination }: ChartRelease, version: string): string[] {
  const always = [
    'template',
    releaseName,
    './chart',
    '--namespace',
    namespace,
    '--values',
    'values.json',
    '--include-crds',
  ];
  if (!destination) return always;
  // Helm compares an installation with objects on the cluster; an upgrade it does not, and the release says which it is.
  const served = ['--dry-run=server', '--is-upgrade', '--disable-openapi-validation'];
  return [...always, ...served, ...(version.startsWith('v3') ? ['--validate'] : [])];
}
