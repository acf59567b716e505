import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type Download, fileName } from '../../core/rest/download.js';
import { archiveKind } from '../../formats/archive.js';
import { DocumentReader, isSmall } from '../../formats/document-reader.js';
import type { SourceFile } from '../../formats/source-file.js';
import type { RunSettings } from '../../formats/task.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import type { Design } from '../design.entity.js';
import { DesignsService } from '../designs.service.js';
import { DesignsStore } from '../designs.store.js';
import { DesignContents } from '../versions/design-contents.js';
import { tasksFor } from '../versions/packed-content.js';
import { exportTask, type MadeForm, madeForms } from './export-task.js';

export const exportForms = [...madeForms, 'source'] as const;
export type ExportForm = (typeof exportForms)[number];

const YAML = 'application/yaml';
const GZIP = 'application/gzip';
const JSON_TYPE = 'application/json';
const TYPES = { design: YAML, json: JSON_TYPE, kubernetes: YAML, helm: GZIP, 'docker-compose': YAML } as const;

/** A source of which comments are kept is read once more: two tasks in one. */
const READING_AND_WRITING = 2;

/** Gives designs away as files. */
@Injectable()
export class DesignExports {
  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly contents: DesignContents,
    private readonly unit: UnitOfWork,
    private readonly reader: DocumentReader,
    private readonly pool: WorkerPool,
  ) {}

  /**
   * A design in one of the forms, which is counted. Throws InvalidRequest for another form, and for one that cannot say what the design says.
   */
  async download(actor: Actor, id: string, form = 'design'): Promise<Download> {
    const wanted = exportForms.find((each) => each === form);
    if (!wanted) throw InvalidRequest.at('export', `must be one of ${exportForms.join(', ')}`);
    const design = await this.designs.get(actor, id);
    const download = await this.as(wanted, design);
    await this.unit.asSystem('counting a download', () => this.store.count(id, 'download_count'));
    return download;
  }

  private async as(form: ExportForm, design: Design): Promise<Download> {
    const name = fileName(design.name, 'design');
    if (form === 'source') return this.source(design, name);
    return { name: `${name}${endOf(form, design)}`, type: TYPES[form], content: await this.made(form, design) };
  }

  /** In one task, so that no part of a large design is ever data on this thread. */
  private async made(form: MadeForm, design: Design): Promise<Buffer> {
    const { limits } = this.reader;
    const content = await this.contents.readPacked(design);
    const kept = (form === 'kubernetes' || form === 'helm') && design.sourceType === form;
    const source = kept ? await this.contents.readSourceFile(design) : null;
    const tasks = !source || isSmall(source.bytes) ? tasksFor(content, this.pool) : this.pool;
    const settings: RunSettings = { lane: 'own', buffers: [content.buffer], times: READING_AND_WRITING };
    const made = await tasks.run(exportTask, { form, content, name: design.name, source, limits }, settings);
    return Buffer.from(made.buffer, made.byteOffset, made.length);
  }

  /** The bytes that were imported, under the name that they had. */
  private async source(design: Design, name: string): Promise<Download> {
    const { path, bytes } = await this.contents.readSourceFile(design);
    const { extension, type } = kindOf({ path, bytes });
    const given = fileName(path.split(/[/\\]/).at(-1) ?? '', '');
    const own = given === '' || given === 'design_file' || !given.includes('.') ? `${name}${extension}` : given;
    return { name: own, type, content: Buffer.from(bytes) };
  }
}

function endOf(form: MadeForm, { version }: Design): string {
  const ends = {
    design: '.yaml',
    json: '.json',
    kubernetes: '.kubernetes.yaml',
    helm: `-${version}.tgz`,
    'docker-compose': '.compose.yaml',
  };
  return ends[form];
}

/** By the content, for the name is the caller's. */
function kindOf({ bytes }: SourceFile): { extension: string; type: string } {
  const archive = archiveKind(bytes);
  if (archive === 'zip') return { extension: '.zip', type: 'application/zip' };
  if (archive === 'tar.gz') return { extension: '.tgz', type: GZIP };
  if (archive === 'tar') return { extension: '.tar', type: 'application/x-tar' };
  const looksLikeJson = /^\s*[{[]/.test(Buffer.from(bytes.subarray(0, 100)).toString());
  return looksLikeJson ? { extension: '.json', type: JSON_TYPE } : { extension: '.yaml', type: YAML };
}
