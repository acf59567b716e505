import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type Download, fileName } from '../../core/rest/download.js';
import { archiveKind } from '../../formats/archive.js';
import type { DesignFile } from '../../formats/design-file.js';
import { DocumentReader } from '../../formats/document-reader.js';
import { isObject, type JsonObject } from '../../formats/located.js';
import type { SourceFile } from '../../formats/source-file.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import type { Design } from '../design.entity.js';
import { DesignsService } from '../designs.service.js';
import { DesignsStore } from '../designs.store.js';
import { composeOf } from '../formats/compose/to-compose.js';
import { DesignContents } from '../versions/design-contents.js';
import { ChartExport } from './chart-export.js';
import { ManifestExport } from './manifest-export.js';

export const exportForms = ['design', 'json', 'kubernetes', 'helm', 'docker-compose', 'source'] as const;
export type ExportForm = (typeof exportForms)[number];

const YAML = 'application/yaml';
const GZIP = 'application/gzip';
const JSON_TYPE = 'application/json';

/** Gives designs away as files. */
@Injectable()
export class DesignExports {
  private readonly charts: ChartExport;
  private readonly manifests: ManifestExport;

  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly contents: DesignContents,
    private readonly unit: UnitOfWork,
    private readonly reader: DocumentReader,
    pool: WorkerPool,
  ) {
    this.charts = new ChartExport(reader, pool);
    this.manifests = new ManifestExport(reader);
  }

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
    const file = await this.contents.read(design);
    switch (form) {
      case 'design':
        return { name: `${name}.yaml`, type: YAML, content: await this.write(file) };
      case 'json':
        return { name: `${name}.json`, type: JSON_TYPE, content: `${JSON.stringify(file, null, 2)}\n` };
      case 'kubernetes':
        return { name: `${name}.kubernetes.yaml`, type: YAML, content: await this.manifest(design, file) };
      case 'helm':
        return { name: `${name}-${design.version}.tgz`, type: GZIP, content: await this.chart(design, file) };
      case 'docker-compose':
        return { name: `${name}.compose.yaml`, type: YAML, content: await this.compose(file) };
    }
  }

  private async manifest(design: Design, file: DesignFile): Promise<string> {
    if (design.sourceType !== 'kubernetes') return this.manifests.written(file);
    return this.manifests.kept(file, await this.contents.readSourceFile(design));
  }

  private async chart(design: Design, file: DesignFile): Promise<Buffer> {
    if (design.sourceType !== 'helm') return this.charts.made(file);
    return this.charts.kept(file, await this.contents.readSourceFile(design));
  }

  private async compose(file: DesignFile): Promise<string> {
    if (!isObject(file.metadata['compose'])) {
      const remedy = 'Take it as kubernetes, helm, design or json.';
      throw InvalidRequest.at('export', 'docker-compose is for designs that were made of a Compose file', remedy);
    }
    const { file: compose, left } = composeOf(file);
    const text = await this.write(compose);
    if (left.length === 0) return text;
    const names = left.map(({ component, displayName }) => `${component.kind} ${displayName}`.replace(/\s+/g, ' '));
    return `# Compose cannot say: ${names.join(', ')}\n${text}`;
  }

  /** The bytes that were imported, under the name that they had. */
  private async source(design: Design, name: string): Promise<Download> {
    const { path, bytes } = await this.contents.readSourceFile(design);
    const { extension, type } = kindOf({ path, bytes });
    const given = fileName(path.split(/[/\\]/).at(-1) ?? '', '');
    const own = given === '' || given === 'design_file' || !given.includes('.') ? `${name}${extension}` : given;
    return { name: own, type, content: Buffer.from(bytes) };
  }

  private write(file: DesignFile | JsonObject): Promise<string> {
    return this.reader.write([file], JSON.stringify(file).length);
  }
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
