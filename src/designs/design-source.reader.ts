import { Injectable } from '@nestjs/common';
import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import { detectArchiveKind, archiveKindFromName } from '../formats/archives/archive.js';
import { DocumentReader, canParseInline } from '../formats/documents/document-reader.js';
import { PackedDesign } from '../formats/design-file/packed-design.js';
import { UploadedFiles } from '../formats/sources/uploaded-files.service.js';
import type { SourceFile } from '../formats/sources/source-file.js';
import { InlineTaskRunner } from '../core/workers/task.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { LocalRenderEngines } from '../formats/engines/local-render-engines.js';
import type { ChartCluster } from '../formats/helm/chart-api.js';
import type { ChartDestination } from '../formats/helm/helm.js';
import type { ProgramQuestion } from '../formats/engines/render-engines.js';
import type { Design, DesignLocation } from './design.entity.js';
import type { DesignChange, DesignImport, DesignSourceInput } from './design.inputs.js';
import {
  DesignEnrichmentService,
  findRepeatedItem,
  isRepeatedItem,
  type KubernetesSettings,
} from './enrichment/design-enrichment.service.js';
import { locateTask } from './enrichment/locate-task.js';
import { isRegistryQuestion } from './enrichment/enrich-design.js';
import { type HelmSettings, readHelmSettings } from './formats/helm/release.js';
import { readSourcePath } from './formats/import-design.js';
import { contentRequired, parsePatternData } from './pattern-data.js';
import {
  assertSettingsFit,
  findUnusedSettings,
  getSentSettings,
  mergeSettings,
  parseValues,
  type SourceSettings,
  type ReadOptions,
  toImportOptions,
} from './source-settings.js';
import { DesignContentsStore } from './contents/design-contents.store.js';
import type { DesignVersion } from './contents/design-version.entity.js';
import type { ImportedDesign, ImportOptions } from './formats/format.js';
import { importTask } from './enrichment/import-task.js';
import { parseSourceTypes, type SourceType } from './formats/source-type.js';

/** The source file of a design, and its origin. */
export interface DesignSource {
  file: SourceFile;
  location: DesignLocation;
}

/** A source with the parsed design. */
export interface ParsedDesignSource extends DesignSource {
  imported: Omit<ImportedDesign, 'design'> & { design: PackedDesign };
}

/** How a version of a chart is rendered. */
export interface RenderSettings {
  /** Merged over the values of the version. */
  values: string | Record<string, unknown> | undefined;
  namespace: string;
  destination: ChartDestination;
  cluster: ChartCluster;
}

/** The first installation on a cluster that is not known. */
const ASSUMED_DESTINATION: ChartDestination = { isUpgrade: false, revision: 1, isAssumed: true };

/** An import takes as long as three tasks: it reads, converts and enriches. */
const IMPORT_TIME_FACTOR = 3;
const INLINE_LOCATION: DesignLocation = { type: 'inline', host: '', path: '', branch: '' };

/** Finds the file in a request, and parses it as a design, enriched from the registry. */
@Injectable()
export class DesignSourceReader {
  constructor(
    private readonly documents: DocumentReader,
    private readonly programs: LocalRenderEngines,
    private readonly sent: UploadedFiles,
    private readonly contents: DesignContentsStore,
    private readonly knowledge: DesignEnrichmentService,
    private readonly pool: WorkerPool,
  ) {}

  /** The content of `pattern_data`, for a new design. */
  async fromPatternData(pattern: Record<string, unknown>, name?: string): Promise<ParsedDesignSource> {
    const { content, settings } = parsePatternData(pattern);
    if (!content) throw contentRequired();
    return this.parseAndValidate(toInlineSource(content), null, { ...toImportOptions(settings), name }, settings);
  }

  /**
   * The content of a change: new content of one of the types, or only settings, with which the stored source is read again; null
   * for neither. A chart keeps its values, its namespace and its release name unless the change sets others.
   * @param types null for all types
   */
  async fromChange(
    design: Design,
    input: DesignSourceInput & Pick<DesignChange, 'pattern_data'>,
    files: FormFile[],
    types: readonly SourceType[] | null,
    name: string,
  ): Promise<ParsedDesignSource | null> {
    const pattern = input.pattern_data && parsePatternData(input.pattern_data);
    const settings = mergeSettings(input, pattern?.settings ?? {});
    const source = await this.findContent(input, files, pattern?.content);
    const isReadAgain = !source && getSentSettings(settings).length > 0;
    if (!source && !isReadAgain) {
      if (pattern) throw contentRequired();
      return null;
    }
    if (isReadAgain) assertReadableAs(design, types, settings);
    const options = { ...toImportOptions(settings), name };
    const mayBeChart = design.sourceType === 'helm' && (types === null || types.includes('helm'));
    if (!mayBeChart && source) return this.parseAndValidate(source, types, options, settings);
    const metadata = await this.contents.readMetadata(design);
    const kept = withKeptRelease(options, readHelmSettings({ metadata }));
    if (source) return this.parseAndValidate(source, types, kept, settings);
    const path = options.path ?? readSourcePath({ metadata });
    const file = await this.contents.readSourceFile(design);
    return this.parseAndValidate({ file, location: design.location }, [design.sourceType], { ...kept, path });
  }

  /** Renders a version of a chart for a cluster. @throws InvalidRequest with Helm's errors */
  async renderChart(
    design: Design,
    { number }: DesignVersion,
    { values, namespace, destination, cluster }: RenderSettings,
  ): Promise<ParsedDesignSource> {
    const metadata = await this.contents.readMetadata(design, number);
    const settings = readHelmSettings({ metadata });
    const file = await this.contents.readSourceFile(design, number);
    const options: ImportOptions = {
      name: design.name,
      values: parseValues(values ?? {}),
      valuesBelow: settings?.values,
      release: { name: settings?.name, namespace },
      path: readSourcePath({ metadata }),
      destination,
    };
    return this.parse({ file, location: design.location }, ['helm'], options, cluster);
  }

  /** Reads an upload, a base64 file or a URL. */
  async fromImport(input: DesignImport, files: FormFile[]): Promise<ParsedDesignSource> {
    const types = input.type === undefined ? null : parseSourceTypes(input.type);
    return this.parseAndValidate(
      await this.findFile(input, files),
      types,
      { ...toImportOptions(input), name: input.name },
      input,
    );
  }

  /** Manifests that this server has written. */
  fromManifest(source: DesignSource, name: string): Promise<ParsedDesignSource> {
    return this.parseAndValidate(source, ['kubernetes'], { name });
  }

  /** Runs as one task on bytes, so that a large file is never parsed on the main thread. */
  private async parse(
    source: DesignSource,
    types: readonly SourceType[] | null,
    { kubernetes, ...options }: ReadOptions,
    cluster?: ChartCluster,
  ): Promise<ParsedDesignSource> {
    const { path, bytes } = source.file;
    const isArchive = detectArchiveKind(bytes) !== undefined || archiveKindFromName(path) !== undefined;
    const tasks = canParseInline(bytes) && !isArchive ? new InlineTaskRunner() : this.pool;
    // A separate copy, because the source is stored as well.
    const file = { path, bytes: new Uint8Array(bytes) };
    const { limits } = this.documents;
    const { design, ...imported } = await tasks.run(
      importTask,
      { file, types, options: { destination: ASSUMED_DESTINATION, ...options }, limits },
      {
        transferList: [file.bytes.buffer],
        timeFactor: IMPORT_TIME_FACTOR,
        ...(isArchive ? {} : { inputBytes: bytes.length }),
        answerQuestion: (question) => this.answerQuestion(question, cluster, kubernetes),
      },
    );
    return { ...source, imported: { ...imported, design: new PackedDesign(design) } };
  }

  /** As `parse`, with warnings about settings without effect and about resources that a cluster would refuse. */
  private async parseAndValidate(
    source: DesignSource,
    types: readonly SourceType[] | null,
    options: ReadOptions,
    settings: SourceSettings = {},
  ): Promise<ParsedDesignSource> {
    const { imported, ...parsed } = await this.parse(source, types, options);
    const { design, sourceType } = imported;
    const unused = findUnusedSettings(sourceType, settings);
    const findings = await this.knowledge.findFindings(design);
    const located = sourceType === 'kubernetes' ? await this.locate(source.file, options.path, findings) : findings;
    return {
      ...parsed,
      imported: {
        ...imported,
        design: design.withRepeatedItem(findRepeatedItem(findings)),
        warnings: [...imported.warnings, ...unused, ...located],
      },
    };
  }

  /** Adds the lines of a manifest to the faults of items that have the key of another item. */
  private async locate({ path, bytes }: SourceFile, chosen: string | undefined, faults: Fault[]): Promise<Fault[]> {
    if (!faults.some(isRepeatedItem)) return faults;
    const file = { path, bytes: new Uint8Array(bytes) };
    const { limits } = this.documents;
    return this.pool.run(
      locateTask,
      { file, path: chosen, limits, faults },
      { transferList: [file.bytes.buffer], timeFactor: IMPORT_TIME_FACTOR },
    );
  }

  private async answerQuestion(
    question: unknown,
    cluster: ChartCluster | undefined,
    kubernetes: KubernetesSettings | undefined,
  ): Promise<unknown> {
    if (isRegistryQuestion(question)) return this.knowledge.answerQuestion(question);
    const asked = question as ProgramQuestion;
    const sees = asked.run?.chart && (cluster ?? (await this.knowledge.assumeCluster(kubernetes)));
    return this.programs.answerQuestion(asked, sees);
  }

  private async findContent(
    input: DesignSourceInput,
    files: FormFile[],
    content: Uint8Array | undefined,
  ): Promise<DesignSource | null> {
    const isFileSent = files.length > 0 || input.file !== undefined || input.url !== undefined;
    if (content && isFileSent)
      throw InvalidRequest.forField('/pattern_data', 'has a content beside the file', 'Send the content once.');
    if (content) return toInlineSource(content);
    return isFileSent ? this.findFile(input, files) : null;
  }

  private async findFile(input: DesignImport, files: FormFile[]): Promise<DesignSource> {
    const { url, ...file } = await this.sent.resolve(input, files);
    if (!url)
      return {
        file,
        location: { type: 'upload', host: '', path: files.length || input.file_name ? file.path : '', branch: '' },
      };
    const branch = /\/(?:raw|blob|tree)\/([^/]+)\//.exec(url.pathname)?.[1] ?? '';
    return { file, location: { type: 'url', host: url.host, path: url.pathname, branch } };
  }
}

const toInlineSource = (bytes: Uint8Array): DesignSource => ({
  file: { path: 'design_file', bytes },
  location: INLINE_LOCATION,
});

/** The default render settings of a chart. */
function withKeptRelease(options: ReadOptions, kept: HelmSettings | undefined): ReadOptions {
  if (!kept) return options;
  const { name, namespace, values } = kept;
  const release = { name, ...(namespace === undefined ? {} : { namespace }), ...options.release };
  return { ...options, values: options.values ?? values, release };
}

/** @throws InvalidRequest when the source of a design is of another type, or does not support a setting */
function assertReadableAs({ sourceType }: Design, types: readonly SourceType[] | null, settings: SourceSettings): void {
  if (types && !types.includes(sourceType))
    throw InvalidRequest.forField(
      'id',
      `is not that of the design, which was made of ${sourceType}`,
      `Use PUT /api/pattern/${sourceType}, or send content too.`,
    );
  assertSettingsFit(sourceType, settings);
}
