import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type Download, toFileName } from '../../core/rest/download.js';
import { detectArchiveKind } from '../../formats/archives/archive.js';
import { DocumentReader, canParseInline } from '../../formats/documents/document-reader.js';
import type { SourceFile } from '../../formats/sources/source-file.js';
import type { TaskOptions } from '../../core/workers/task.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import type { Design } from '../design.entity.js';
import { DesignsService } from '../designs.service.js';
import { DesignsStore } from '../designs.store.js';
import { DesignContentsStore } from '../contents/design-contents.store.js';
import { taskRunnerFor } from '../contents/packed-content.js';
import { exportTask, type ConvertedFormat, CONVERTED_FORMATS } from './export-task.js';

export const EXPORT_FORMATS = [...CONVERTED_FORMATS, 'source'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const YAML_TYPE = 'application/yaml';
const GZIP_TYPE = 'application/gzip';
const JSON_TYPE = 'application/json';
const TYPES = {
  design: YAML_TYPE,
  json: JSON_TYPE,
  kubernetes: YAML_TYPE,
  helm: GZIP_TYPE,
  'docker-compose': YAML_TYPE,
} as const;

/** An export with comments also reads the source, and takes as long as two tasks. */
const EXPORT_TIME_FACTOR = 2;

/** Exports designs as files. */
@Injectable()
export class DesignExportsService {
  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly unit: UnitOfWork,
    private readonly reader: DocumentReader,
    private readonly pool: WorkerPool,
  ) {}

  /**
   * Exports a design in one of the export formats, and counts the download.
   * @throws InvalidRequest for an unknown format, and for one that cannot express the design
   */
  async download(actor: Actor, id: string, form = 'design'): Promise<Download> {
    const wanted = EXPORT_FORMATS.find((each) => each === form);
    if (!wanted) throw InvalidRequest.forField('export', `must be one of ${EXPORT_FORMATS.join(', ')}`);
    const design = await this.designs.get(actor, id);
    const download = await this.exportAs(wanted, design);
    await this.unit.runAsSystem('counting a download', () => this.store.increment(id, 'download_count'));
    return download;
  }

  private async exportAs(form: ExportFormat, design: Design): Promise<Download> {
    const name = toFileName(design.name, 'design');
    if (form === 'source') return this.exportSource(design, name);
    return { name: `${name}${fileSuffix(form, design)}`, type: TYPES[form], content: await this.convert(form, design) };
  }

  /** Runs as one task, so that a large design is never parsed on the main thread. */
  private async convert(form: ConvertedFormat, design: Design): Promise<Buffer> {
    const { limits } = this.reader;
    const content = await this.contents.readPacked(design);
    const kept = (form === 'kubernetes' || form === 'helm') && design.sourceType === form;
    const source = kept ? await this.contents.readSourceFile(design) : null;
    const tasks = !source || canParseInline(source.bytes) ? taskRunnerFor(content, this.pool) : this.pool;
    const settings: TaskOptions = { lane: 'own', transferList: [content.buffer], timeFactor: EXPORT_TIME_FACTOR };
    const made = await tasks.run(exportTask, { form, content, name: design.name, source, limits }, settings);
    return Buffer.from(made.buffer, made.byteOffset, made.length);
  }

  /** The bytes that were imported, under their file name. */
  private async exportSource(design: Design, name: string): Promise<Download> {
    const { path, bytes } = await this.contents.readSourceFile(design);
    const { extension, type } = detectFileType({ path, bytes });
    const given = toFileName(path.split(/[/\\]/).at(-1) ?? '', '');
    const own = given === '' || given === 'design_file' || !given.includes('.') ? `${name}${extension}` : given;
    return { name: own, type, content: Buffer.from(bytes) };
  }
}

function fileSuffix(form: ConvertedFormat, { version }: Design): string {
  const ends = {
    design: '.yaml',
    json: '.json',
    kubernetes: '.kubernetes.yaml',
    helm: `-${version}.tgz`,
    'docker-compose': '.compose.yaml',
  };
  return ends[form];
}

/** Detects the type from the content, because the file name comes from the caller. */
function detectFileType({ bytes }: SourceFile): { extension: string; type: string } {
  const archive = detectArchiveKind(bytes);
  if (archive === 'zip') return { extension: '.zip', type: 'application/zip' };
  if (archive === 'tar.gz') return { extension: '.tgz', type: GZIP_TYPE };
  if (archive === 'tar') return { extension: '.tar', type: 'application/x-tar' };
  const looksLikeJson = /^\s*[{[]/.test(Buffer.from(bytes.subarray(0, 100)).toString());
  return looksLikeJson ? { extension: '.json', type: JSON_TYPE } : { extension: '.yaml', type: YAML_TYPE };
}
