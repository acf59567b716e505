import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../core/errors/app-error.js';
import type { UploadedFile } from '../core/rest/upload.js';
import { jsonBytes } from '../core/schema/packed-json.js';
import { archiveKind, namedArchive } from '../formats/archive.js';
import { DocumentReader, isSmall } from '../formats/document-reader.js';
import { isObject, type JsonObject } from '../formats/located.js';
import { PackedDesign } from '../formats/packed-design.js';
import { SentFiles } from '../formats/sent-file.js';
import type { SourceFile } from '../formats/source-file.js';
import { InPlace } from '../formats/task.js';
import { WorkerPool } from '../formats/worker-pool.js';
import { Programs } from '../formats/programs/programs.js';
import type { ProgramQuestion } from '../formats/programs/programs-elsewhere.js';
import type { Design, DesignLocation } from './design.entity.js';
import type { DesignImport } from './design.inputs.js';
import { parseDotenv } from './formats/compose/dotenv.js';
import { helmSettingsOf } from './formats/helm/release.js';
import { DesignContents } from './versions/design-contents.js';
import type { DesignVersion } from './versions/design-version.entity.js';
import type { ImportedDesign, ReadOptions } from './formats/format.js';
import { importTask } from './formats/import-task.js';
import type { SourceType } from './formats/source-type.js';

/** A file that a design is made of, and where it came from. */
export interface Source {
  file: SourceFile;
  location: DesignLocation;
}

/** A source with the design that it reads as. */
export interface ReadSource extends Source {
  imported: Omit<ImportedDesign, 'design'> & { design: PackedDesign };
}

/** No real `.env` is longer, and it is read at once. */
const LONGEST_ENV = 100_000;
/** An import is two tasks in one. */
const READING_AND_CONVERTING = 2;
const INLINE: DesignLocation = { type: 'inline', host: '', path: '', branch: '' };

/** Finds the file in what a caller sent, and reads it as a design. */
@Injectable()
export class DesignSource {
  constructor(
    private readonly documents: DocumentReader,
    private readonly programs: Programs,
    private readonly sent: SentFiles,
    private readonly contents: DesignContents,
    private readonly pool: WorkerPool,
  ) {}

  /** The content of `pattern_data`: `design_file` as object or text, or `pattern_file` as text or base64. */
  async ofPatternData(
    data: Record<string, unknown>,
    types: readonly SourceType[] | null,
    options: ReadOptions,
  ): Promise<ReadSource> {
    const source = { file: { path: 'design_file', bytes: inline(data) }, location: INLINE };
    return this.read(source, types, { values: values(data['values']), env: variables(data['env']), ...options });
  }

  /**
   * What a change sends: new content as one of the types, or for a design of a chart new `values` alone, with which the kept chart is
   * rendered again. A chart keeps the name of its release, and its values when none are sent.
   */
  async ofChange(
    design: Design,
    data: Record<string, unknown>,
    types: readonly SourceType[],
    options: ReadOptions,
  ): Promise<ReadSource> {
    const ofChart = design.sourceType === 'helm' && types.includes('helm');
    const kept = ofChart ? helmSettingsOf({ metadata: await this.contents.readMetadata(design) }) : undefined;
    if (!kept) return this.ofPatternData(data, types, options);
    const { name, namespace } = kept;
    const sent = values(data['values']) ?? kept.values;
    const again = { ...options, values: sent, release: { name, namespace } };
    if (content(data) !== undefined || data['values'] === undefined) return this.ofPatternData(data, types, again);
    const file = await this.contents.readSourceFile(design);
    return this.read({ file, location: design.location }, types, again);
  }

  /** A version of a chart, rendered again with values over its own. */
  async withValues(design: Design, { number, sourceType }: DesignVersion, given: unknown): Promise<ReadSource> {
    const settings = helmSettingsOf({ metadata: await this.contents.readMetadata(design, number) });
    const file = await this.contents.readSourceFile(design, number);
    if (!settings || sourceType !== 'helm')
      throw InvalidRequest.at('/values', 'are for designs of a Helm chart', 'Leave them out.');
    const { name, namespace, values: valuesBelow } = settings;
    const options = { name: design.name, values: values(given), valuesBelow, release: { name, namespace } };
    return this.read({ file, location: design.location }, ['helm'], options);
  }

  /** An upload, a file in base64, or a file behind a URL. */
  async ofImport(input: DesignImport, files: UploadedFile[]): Promise<ReadSource> {
    const source = await this.find(input, files);
    const options = { name: input.name, values: values(input.values), env: variables(input.env) };
    return this.read(source, null, options);
  }

  /** All of it in one task, from the bytes to the bytes, so that no part of a large file is ever data on this thread. */
  private async read(source: Source, types: readonly SourceType[] | null, options: ReadOptions): Promise<ReadSource> {
    const { path, bytes } = source.file;
    const isArchive = archiveKind(bytes) !== undefined || namedArchive(path) !== undefined;
    const tasks = isSmall(bytes) && !isArchive ? new InPlace() : this.pool;
    // A copy of its own, for the source is kept as well.
    const file = { path, bytes: new Uint8Array(bytes) };
    const { limits } = this.documents;
    const { design, ...imported } = await tasks.run(
      importTask,
      { file, types, options, limits },
      {
        buffers: [file.bytes.buffer],
        times: READING_AND_CONVERTING,
        answer: (question) => this.programs.answer(question as ProgramQuestion),
      },
    );
    return { ...source, imported: { ...imported, design: new PackedDesign(design) } };
  }

  private async find(input: DesignImport, files: UploadedFile[]): Promise<Source> {
    const { url, ...file } = await this.sent.find(input, files);
    if (!url)
      return {
        file,
        location: { type: 'upload', host: '', path: files.length || input.file_name ? file.path : '', branch: '' },
      };
    const branch = /\/(?:raw|blob|tree)\/([^/]+)\//.exec(url.pathname)?.[1] ?? '';
    return { file, location: { type: 'url', host: url.host, path: url.pathname, branch } };
  }
}

function content({ design_file, designFile, pattern_file, patternFile }: Record<string, unknown>): unknown {
  return design_file ?? designFile ?? pattern_file ?? patternFile;
}

function inline(data: Record<string, unknown>): Uint8Array {
  const { design_file, designFile } = data;
  const sent = content(data);
  if (typeof sent === 'object' && sent !== null) return jsonBytes(sent);
  if (typeof sent !== 'string' || sent.trim() === '')
    throw InvalidRequest.at(
      '/pattern_data/design_file',
      'is required',
      'Send the design as an object or text in design_file, or as text or base64 in pattern_file.',
    );
  const encoded = design_file === undefined && designFile === undefined && isBase64(sent);
  return Buffer.from(sent, encoded ? 'base64' : 'utf8');
}

/** Whether text can only be meant as base64. Takes time in proportion to its length. */
function isBase64(text: string): boolean {
  if (text.length <= 16 || !/^[A-Za-z0-9+/=\s]*$/.test(text.slice(0, 1000))) return false;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text.replace(/\s+/g, ''));
}

function values(given: unknown): ReadOptions['values'] {
  if (given === undefined || typeof given === 'string' || isObject(given)) return given;
  throw InvalidRequest.at('/values', 'must be YAML text or an object');
}

function variables(given: unknown): Record<string, string> | undefined {
  if (given === undefined) return undefined;
  const size = typeof given === 'string' ? given.length : JSON.stringify(given).length;
  if (size > LONGEST_ENV)
    throw InvalidRequest.at('/env', `must have at most ${LONGEST_ENV} characters`, 'Send only what the file asks for.');
  const object: unknown = typeof given === 'string' ? fromText(given) : given;
  if (!isObject(object)) throw InvalidRequest.at('/env', 'must be an object, or lines of NAME=value');
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function fromText(text: string): JsonObject {
  if (text.trim().startsWith('{')) {
    try {
      return JSON.parse(text) as JsonObject;
    } catch {
      throw InvalidRequest.at('/env', 'is not valid JSON');
    }
  }
  const { values: found, faults } = parseDotenv({ path: 'env', bytes: Buffer.from(text) });
  if (faults.length > 0) throw new InvalidRequest('env is not a sound .env file', { errors: faults });
  return Object.fromEntries(found);
}
