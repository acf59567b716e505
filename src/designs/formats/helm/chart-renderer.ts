import { isDeepStrictEqual } from 'node:util';
import { type Fault, InvalidRequest } from '../../../core/errors/app-error.js';
import type { DesignComponent } from '../../../formats/design-file/design-file.js';
import { FaultList } from '../../../formats/sources/fault-list.js';
import type { FormatLimits } from '../../../formats/sources/format-limits.js';
import { asObject, asText } from '../../../core/json/json.js';
import type { ChartFiles, ChartRelease, Helm } from '../../../formats/helm/helm.js';
import { TimeSlicer } from '../../../core/time-slicer.js';
import type { FormatInput } from '../format.js';
import type { LocatedResource } from '../kubernetes-resource.js';
import { ManifestReader } from '../manifest-reader.js';
import { type HelmHook, parseHelmHook, isTestHook } from '../../../formats/design-file/helm-hook.js';
import { RenderedText } from './rendered-text.js';
import type { SourceFile } from '../../../formats/sources/source-file.js';

export interface RenderedChart {
  components: DesignComponent[];
  /** The NOTES.txt that Helm shows after an installation; empty when there is none. */
  notes: string;
  warnings: Fault[];
}

interface RenderedPart {
  item: LocatedResource;
  template: string;
  hook: HelmHook | undefined;
}

/** Template functions that may make two renderings differ. */
const NONDETERMINISTIC_FUNCTIONS =
  /\b(?:rand(?:Alpha|AlphaNum|Ascii|Numeric|Int|Bytes)|uuidv4|now|gen(?:CA|SelfSignedCert|SignedCert|PrivateKey)\w*|htpasswd|bcrypt|shuffle)\b/;

/** The size up to which a template is searched for them, in bytes. */
const MAX_SEARCHED_BYTES = 512 * 1024;

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
    const { text, files, warnings } = await this.template();
    const rendered = await this.read(text);
    const { components, notes } = rendered;
    const changing = (await this.isNondeterministic()) ? await this.findDifferences(files, text, components) : [];
    const said = [...warnings, ...rendered.warnings, ...changing];
    if (components.length === 0) {
      const remedy = 'Send values with which it has some.';
      said.push({ file: this.input.name, detail: 'renders to no resource at all', remedy });
    }
    return { components, notes, warnings: said };
  }

  /** Includes the notes if they render. Notes that fail, as in charts that report a missing value this way, cause a warning. */
  private async template(): Promise<{ text: string; files: ChartFiles; warnings: Fault[] }> {
    const files = addNotesCarrier(this.files);
    if (!files) return { text: await this.helm.template(this.files, this.release), files: this.files, warnings: [] };
    try {
      return { text: await this.helm.template(files, this.release), files, warnings: [] };
    } catch (error) {
      if (!(error instanceof InvalidRequest) || error.code !== 'VALIDATION_FAILED') throw error;
      const text = await this.helm.template(this.files, this.release);
      const file = files.get(NOTES_CARRIER_PATH)?.path;
      const warnings = error.errors.map(({ detail, remedy }) => ({
        file,
        detail: `the notes do not render: ${detail}`,
        remedy,
      }));
      return { text, files: this.files, warnings };
    }
  }

  private async read(text: string): Promise<RenderedChart> {
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
        for (const item of manifest.readDocument(document))
          parts.push({ item, template, hook: parseHelmHook(item.resource) });
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

  private async isNondeterministic(): Promise<boolean> {
    const turns = new TimeSlicer();
    for (const [path, { bytes }] of this.files) {
      if (!path.includes('templates/')) continue;
      if (bytes.length > MAX_SEARCHED_BYTES || NONDETERMINISTIC_FUNCTIONS.test(Buffer.from(bytes).toString('latin1')))
        return true;
      await turns.yieldToEventLoop();
    }
    return false;
  }

  /** Renders again and warns about values that differ, because they would also change with later deployments. */
  private async findDifferences(files: ChartFiles, text: string, components: DesignComponent[]): Promise<Fault[]> {
    const again = await this.helm.template(files, this.release);
    if (again === text) return [];
    const second = new Map((await this.read(again)).components.map(({ id, configuration }) => [id, configuration]));
    const changed: DesignComponent[] = [];
    const turns = new TimeSlicer();
    for (const component of components) {
      const { id, configuration } = component;
      if (!isTestHook(component) && !isDeepStrictEqual(configuration, second.get(id))) changed.push(component);
      await turns.yieldToEventLoop();
    }
    return changed.map(({ component, displayName, metadata }) => {
      const template = asText(asObject(metadata['helm'])['template']);
      return {
        file: this.files.get(template)?.path ?? template,
        detail: `${component.kind} ${displayName} is another one each time that the chart is rendered`,
        remedy: 'Give the passwords, keys and the like that the chart makes up as values.',
      };
    });
  }
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
