import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../core/errors/app-error.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import { toJsonBytes } from '../core/json/packed-json.js';
import { detectArchiveKind, archiveKindFromName } from '../formats/archives/archive.js';
import { DocumentReader, canParseInline } from '../formats/documents/document-reader.js';
import { isObject, type JsonObject } from '../formats/documents/located-document.js';
import { PackedDesign } from '../formats/design-file/packed-design.js';
import { UploadedFiles } from '../formats/sources/uploaded-files.service.js';
import type { SourceFile } from '../formats/sources/source-file.js';
import { InlineTaskRunner } from '../core/workers/task.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { LocalRenderEngines } from '../formats/engines/local-render-engines.js';
import type { ProgramQuestion } from '../formats/engines/remote-render-engines.js';
import type { Design, DesignLocation } from './design.entity.js';
import type { DesignImport } from './design.inputs.js';
import { parseDotenv } from './formats/compose/dotenv.js';
import { readHelmSettings } from './formats/helm/release.js';
import { DesignContentsStore } from './versions/design-contents.store.js';
import type { DesignVersion } from './versions/design-version.entity.js';
import type { ImportedDesign, ImportOptions } from './formats/format.js';
import { importTask } from './formats/import-task.js';
import type { SourceType } from './formats/source-type.js';

/** A file that a design is made of, and where it came from. */
export interface DesignSource {
  file: SourceFile;
  location: DesignLocation;
}

/** A source with the design that it reads as. */
export interface ParsedDesignSource extends DesignSource {
  imported: Omit<ImportedDesign, 'design'> & { design: PackedDesign };
}

/** No real `.env` is longer, and it is read at once. */
const MAX_ENV_LENGTH = 100_000;
/** An import is two tasks in one. */
const IMPORT_TIME_FACTOR = 2;
const INLINE_LOCATION: DesignLocation = { type: 'inline', host: '', path: '', branch: '' };

/** Finds the file in what a caller sent, and reads it as a design. */
@Injectable()
export class DesignSourceReader {
  constructor(
    private readonly documents: DocumentReader,
    private readonly programs: LocalRenderEngines,
    private readonly sent: UploadedFiles,
    private readonly contents: DesignContentsStore,
    private readonly pool: WorkerPool,
  ) {}

  /** The content of `pattern_data`: `design_file` as object or text, or `pattern_file` as text or base64. */
  async fromPatternData(
    data: Record<string, unknown>,
    types: readonly SourceType[] | null,
    options: ImportOptions,
  ): Promise<ParsedDesignSource> {
    const source = { file: { path: 'design_file', bytes: readInlineContent(data) }, location: INLINE_LOCATION };
    return this.parse(source, types, {
      values: parseValues(data['values']),
      env: parseVariables(data['env']),
      ...options,
    });
  }

  /**
   * What a change sends: new content as one of the types, or for a design of a chart new `values` alone, with which the kept chart is
   * rendered again. A chart keeps the name of its release, and its values when none are sent.
   */
  async fromChange(
    design: Design,
    data: Record<string, unknown>,
    types: readonly SourceType[],
    options: ImportOptions,
  ): Promise<ParsedDesignSource> {
    const ofChart = design.sourceType === 'helm' && types.includes('helm');
    const kept = ofChart ? readHelmSettings({ metadata: await this.contents.readMetadata(design) }) : undefined;
    if (!kept) return this.fromPatternData(data, types, options);
    const { name, namespace } = kept;
    const sent = parseValues(data['values']) ?? kept.values;
    const again = { ...options, values: sent, release: { name, namespace } };
    if (findContent(data) !== undefined || data['values'] === undefined)
      return this.fromPatternData(data, types, again);
    const file = await this.contents.readSourceFile(design);
    return this.parse({ file, location: design.location }, types, again);
  }

  /** A version of a chart, rendered again with values over its own. */
  async fromVersionWithValues(
    design: Design,
    { number, sourceType }: DesignVersion,
    given: unknown,
  ): Promise<ParsedDesignSource> {
    const settings = readHelmSettings({ metadata: await this.contents.readMetadata(design, number) });
    const file = await this.contents.readSourceFile(design, number);
    if (!settings || sourceType !== 'helm')
      throw InvalidRequest.forField('/values', 'are for designs of a Helm chart', 'Leave them out.');
    const { name, namespace, values: valuesBelow } = settings;
    const options = { name: design.name, values: parseValues(given), valuesBelow, release: { name, namespace } };
    return this.parse({ file, location: design.location }, ['helm'], options);
  }

  /** An upload, a file in base64, or a file behind a URL. */
  async fromImport(input: DesignImport, files: FormFile[]): Promise<ParsedDesignSource> {
    const source = await this.findFile(input, files);
    const options = { name: input.name, values: parseValues(input.values), env: parseVariables(input.env) };
    return this.parse(source, null, options);
  }

  /** All of it in one task, from the bytes to the bytes, so that no part of a large file is ever data on this thread. */
  private async parse(
    source: DesignSource,
    types: readonly SourceType[] | null,
    options: ImportOptions,
  ): Promise<ParsedDesignSource> {
    const { path, bytes } = source.file;
    const isArchive = detectArchiveKind(bytes) !== undefined || archiveKindFromName(path) !== undefined;
    const tasks = canParseInline(bytes) && !isArchive ? new InlineTaskRunner() : this.pool;
    // A copy of its own, for the source is kept as well.
    const file = { path, bytes: new Uint8Array(bytes) };
    const { limits } = this.documents;
    const { design, ...imported } = await tasks.run(
      importTask,
      { file, types, options, limits },
      {
        transferList: [file.bytes.buffer],
        timeFactor: IMPORT_TIME_FACTOR,
        answerQuestion: (question) => this.programs.answerQuestion(question as ProgramQuestion),
      },
    );
    return { ...source, imported: { ...imported, design: new PackedDesign(design) } };
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

function findContent({ design_file, designFile, pattern_file, patternFile }: Record<string, unknown>): unknown {
  return design_file ?? designFile ?? pattern_file ?? patternFile;
}

function readInlineContent(data: Record<string, unknown>): Uint8Array {
  const { design_file, designFile } = data;
  const sent = findContent(data);
  if (typeof sent === 'object' && sent !== null) return toJsonBytes(sent);
  if (typeof sent !== 'string' || sent.trim() === '')
    throw InvalidRequest.forField(
      '/pattern_data/design_file',
      'is required',
      'Send the design as an object or text in design_file, or as text or base64 in pattern_file.',
    );
  const encoded = design_file === undefined && designFile === undefined && looksLikeBase64(sent);
  return Buffer.from(sent, encoded ? 'base64' : 'utf8');
}

/** Whether text can only be meant as base64. Takes time in proportion to its length. */
function looksLikeBase64(text: string): boolean {
  if (text.length <= 16 || !/^[A-Za-z0-9+/=\s]*$/.test(text.slice(0, 1000))) return false;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text.replace(/\s+/g, ''));
}

function parseValues(given: unknown): ImportOptions['values'] {
  if (given === undefined || typeof given === 'string' || isObject(given)) return given;
  throw InvalidRequest.forField('/values', 'must be YAML text or an object');
}

function parseVariables(given: unknown): Record<string, string> | undefined {
  if (given === undefined) return undefined;
  const size = typeof given === 'string' ? given.length : JSON.stringify(given).length;
  if (size > MAX_ENV_LENGTH)
    throw InvalidRequest.forField(
      '/env',
      `must have at most ${MAX_ENV_LENGTH} characters`,
      'Send only what the file asks for.',
    );
  const object: unknown = typeof given === 'string' ? parseVariablesText(given) : given;
  if (!isObject(object)) throw InvalidRequest.forField('/env', 'must be an object, or lines of NAME=value');
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function parseVariablesText(text: string): JsonObject {
  if (text.trim().startsWith('{')) {
    try {
      return JSON.parse(text) as JsonObject;
    } catch {
      throw InvalidRequest.forField('/env', 'is not valid JSON');
    }
  }
  const { values: found, faults } = parseDotenv({ path: 'env', bytes: Buffer.from(text) });
  if (faults.length > 0) throw new InvalidRequest('env is not a sound .env file', { errors: faults });
  return Object.fromEntries(found);
}
