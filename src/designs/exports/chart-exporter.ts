import { toReleaseName, readHelmSettings } from '../formats/helm/release.js';
import { detectArchiveKind } from '../../formats/archives/archive.js';
import { type DesignFile } from '../../formats/design-file/design-file.js';
import { type DocumentReader } from '../../formats/documents/document-reader.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { type TaskRunner } from '../../core/workers/task.js';
import { packTarGz } from '../../formats/archives/tar-writer.js';
import { DesignInput } from '../formats/design-input.js';
import { readSourcePath } from '../formats/import-design.js';
import { readChartSource } from '../formats/helm/chart-source.js';
import { withValuesTask } from '../formats/helm/values-task.js';
import { buildChartFiles } from '../formats/helm/to-chart.js';

/** Writes designs as packed charts. */
export class ChartExporter {
  constructor(
    private readonly reader: DocumentReader,
    private readonly tasks: TaskRunner,
  ) {}

  /** Generates a chart from the design. */
  async fromDesign(design: DesignFile): Promise<Buffer> {
    const files = await buildChartFiles(design, (documents) =>
      this.reader.toYaml(documents, JSON.stringify(documents).length),
    );
    const folder = toReleaseName(design.name);
    return packTarGz([...files].map(([path, text]) => [`${folder}/${path}`, text]));
  }

  /** The chart that the design was made from, with the values of the design as defaults. */
  async fromSource(design: DesignFile, source: SourceFile): Promise<Buffer> {
    const values = readHelmSettings(design)?.values ?? {};
    const input = await DesignInput.fromFile(source, this.reader, readSourcePath(design));
    const { head, files, isPacked } = await readChartSource(input, this.reader.limits);
    const changed = Object.keys(values).length > 0;
    const packed =
      isPacked && detectArchiveKind(source.bytes) === 'tar.gz' && input.files.has(`${head.name}/Chart.yaml`);
    if (!changed && packed) return Buffer.from(source.bytes);
    const text = Buffer.from(files.get('values.yaml')?.bytes ?? []).toString();
    const own = new Map<string, Uint8Array | string>([...files].map(([path, { bytes }]) => [path, bytes]));
    if (changed) own.set('values.yaml', await this.tasks.run(withValuesTask, { text, values }));
    const chart = own.get('Chart.yaml') ?? '';
    own.delete('Chart.yaml');
    return packTarGz(
      [['Chart.yaml', chart] as const, ...own].map(([path, content]) => [`${head.name}/${path}`, content]),
    );
  }
}
