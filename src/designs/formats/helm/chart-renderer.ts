import { type Fault, InvalidRequest } from '../../../core/errors/app-error.js';
import type { DesignComponent } from '../../../formats/design-file/design-file.js';
import { FaultList } from '../../../formats/sources/fault-list.js';
import type { FormatLimits } from '../../../formats/sources/format-limits.js';
import { asObject, asText, type JsonObject } from '../../../core/json/json.js';
import {
  type ChartFiles,
  type ChartOutput,
  type ChartRelease,
  type Helm,
  UnbuildableChart,
} from '../../../formats/helm/helm.js';
import type { TemplateSite } from '../../../formats/helm/template-instruments.js';
import { TimeSlicer } from '../../../core/time-slicer.js';
import type { FormatInput } from '../format.js';
import type { LocatedResource } from '../kubernetes-resource.js';
import { ManifestReader } from '../manifest-reader.js';
import { type HelmHook, parseHelmHook } from '../../../formats/design-file/helm-hook.js';
import { RenderedText } from './rendered-text.js';
import type { SourceFile } from '../../../formats/sources/source-file.js';

export interface RenderedChart {
  components: DesignComponent[];
  /** The NOTES.txt that Helm shows after an installation; empty when there is none. */
  notes: string;
  /** Values that the chart has generated for its destination. */
  generated: GeneratedCall[];
  warnings: Fault[];
}

/** A value that a chart has generated. */
export interface GeneratedCall {
  /** Identifies the value for its release. */
  key: string;
  template: string;
  function: string;
}

interface RenderedPart {
  item: LocatedResource;
  template: string;
  hook: HelmHook | undefined;
}

/** Renders a chart as a release, and reads the output. */
export class ChartRenderer {
  constructor(
    private readonly helm: Helm,
    private readonly input: FormatInput,
    private readonly files: ChartFiles,
    private readonly release: ChartRelease,
    private readonly limits: FormatLimits,
  ) {}

  /** Throws InvalidRequest with faults located in the templates. */
  async render(): Promise<RenderedChart> {
    const { text, generated, assumed, warnings } = await this.template().catch(async (error: unknown) => {
      // What Helm cannot build has its faults in what it renders to.
      if (error instanceof UnbuildableChart) await this.read(await this.renderAlone());
      throw error;
    });
    const rendered = await this.read(text);
    const { components, notes } = rendered;
    const said = [...warnings, ...rendered.warnings, ...this.describeAssumed(assumed)];
    if (components.length === 0) {
      const remedy = 'Send values with which it has some.';
      said.push({ file: this.input.name, detail: 'renders to no resource at all', remedy });
    }
    const calls = [...generated].map(([key, { path, text: name }]) => ({ key, template: path, function: name }));
    return { components, notes, generated: calls.sort((a, b) => (a.key < b.key ? -1 : 1)), warnings: said };
  }

  /** Includes the notes if they render. Notes that fail, as in charts that report a missing value this way, cause a warning. */
  private async template(): Promise<ChartOutput & { warnings: Fault[] }> {
    const files = addNotesCarrier(this.files);
    if (!files) return { ...(await this.helm.template(this.files, this.release)), warnings: [] };
    try {
      return { ...(await this.helm.template(files, this.release)), warnings: [] };
    } catch (error) {
      if (!(error instanceof InvalidRequest) || error.code !== 'VALIDATION_FAILED') throw error;
      const output = await this.helm.template(this.files, this.release);
      const file = files.get(NOTES_CARRIER_PATH)?.path;
      const warnings = error.errors.map(({ detail, remedy }) => ({
        file,
        detail: `the notes do not render: ${detail}`,
        remedy,
      }));
      return { ...output, warnings };
    }
  }

  /** The output for the cluster that is built into Helm. */
  private async renderAlone(): Promise<string> {
    const { destination: _, ...release } = this.release;
    return (await this.helm.template(this.files, release)).text;
  }

  private async read(text: string): Promise<Omit<RenderedChart, 'generated'>> {
    const rendered = new RenderedText(text, this.files);
    const faults = new FaultList(this.limits.faults);
    const manifest = new ManifestReader(faults);
    const file = { path: this.input.name, bytes: Buffer.from(text) };
    const documents = await this.input.parse(file, 'rendered').catch((error: unknown) => faults.addFrom(error));
    const turns = new TimeSlicer();
    const parts: RenderedPart[] = [];
    let notes = '';
    for (const document of documents) {
      const template = rendered.templateOf(document);
      if (template === NOTES_CARRIER_PATH) notes = asText(asObject(document.object?.['data'])['notes']).trim();
      else
        for (const { resource, ...place } of manifest.readDocument(document)) {
          const item = { ...place, resource: withoutNamespace(resource, this.release.namespace) };
          parts.push({ item, template, hook: parseHelmHook(resource) });
        }
    }
    for (const { item, template, hook } of sortHooks(parts)) {
      const component = manifest.addResource(item, hook !== undefined);
      component.metadata = { ...component.metadata, helm: { template, ...(hook ? { hook: { ...hook } } : {}) } };
      await turns.yieldToEventLoop();
    }
    const located = new FaultList(this.limits.faults);
    located.add(...faults.faults.map((fault) => rendered.toTemplateFault(fault)));
    located.throwIfAny(this.input.name);
    const said = [...documents.flatMap(({ data }) => data.warnings), ...manifest.warnings];
    const warnings = said.map((warning) => rendered.toTemplateFault(warning));
    return { components: manifest.components, notes, warnings };
  }

  private describeAssumed(assumed: readonly TemplateSite[]): Fault[] {
    const conditions = new Map(assumed.map((site) => [`${site.path}:${site.line}`, site]));
    const faults = [...conditions.values()].map(({ path, line, text }) => ({
      file: this.files.get(path)?.path ?? path,
      line,
      detail: `"${shorten(text)}" was decided without a cluster`,
      remedy:
        'A deployment decides it by its cluster; kube_version and api_versions choose for which one a chart is imported.',
    }));
    const more = faults.length - MAX_ASSUMED;
    const rest = { file: this.input.name, detail: `${more} more conditions were decided without a cluster` };
    return more > 0 ? [...faults.slice(0, MAX_ASSUMED), rest] : faults;
  }
}

/** The maximum number of conditions on the cluster that are named. */
const MAX_ASSUMED = 50;
const MAX_CONDITION_LENGTH = 120;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MAX_CONDITION_LENGTH ? `${line.slice(0, MAX_CONDITION_LENGTH)}…` : line;
}

/** The namespace of the release is where a design is deployed to, and is no part of it. */
function withoutNamespace(resource: JsonObject, release: string): JsonObject {
  const { namespace, ...metadata } = asObject(resource['metadata']);
  return namespace === release ? { ...resource, metadata } : resource;
}

/** Sorts hooks by weight and template, after other resources, because Helm writes them in varying order. */
function sortHooks(parts: readonly RenderedPart[]): RenderedPart[] {
  const hooks = parts
    .filter(({ hook }) => hook)
    .sort((a, b) => {
      const byTemplate = a.template < b.template ? -1 : Number(a.template > b.template);
      return (a.hook?.weight ?? 0) - (b.hook?.weight ?? 0) || byTemplate;
    });
  return [...parts.filter(({ hook }) => !hook), ...hooks];
}

const NOTES_PATH = 'templates/NOTES.txt';
/** The path of an added template that outputs the notes; chosen not to collide with a template of a chart. */
export const NOTES_CARRIER_PATH = 'templates/armature-carries-notes.yaml';
/** Longer notes are ignored. */
const MAX_NOTES_BYTES = 64 * 1024;

/** The chart with its notes as a resource, because the program outputs resources only; undefined when it has none. */
export function addNotesCarrier(files: ChartFiles): ChartFiles | undefined {
  const notes = files.get(NOTES_PATH);
  if (!notes || notes.bytes.length > MAX_NOTES_BYTES || notes.bytes.length === 0) return undefined;
  // A JSON string literal is a valid Go string literal.
  const literal = JSON.stringify(Buffer.from(notes.bytes).toString());
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: notes\ndata:\n  notes: {{ tpl ${literal} . | toJson }}\n`;
  const carrier: SourceFile = { path: notes.path, bytes: Buffer.from(text) };
  return new Map([...files, [NOTES_CARRIER_PATH, carrier]]);
}
