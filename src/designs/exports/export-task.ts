import { stringifyExact } from '../../core/json/large-integers.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import type { DesignFile } from '../../formats/design-file/design-file.js';
import { findRepeatedResources } from '../../formats/design-file/repeated-resources.js';
import { DocumentReader } from '../../formats/documents/document-reader.js';
import type { FormatLimits } from '../../formats/sources/format-limits.js';
import { isObject } from '../../core/json/json.js';
import { FaultList } from '../../formats/sources/fault-list.js';
import type { SourceFile } from '../../formats/sources/source-file.js';
import { defineTask, type TransferredValue, InlineTaskRunner } from '../../core/workers/task.js';
import { toYaml } from '../../formats/documents/yaml-writer.js';
import { toCompose } from '../formats/compose/to-compose.js';
import { parseDesignFile, transferBytes, type PackedContent } from '../contents/packed-content.js';
import { ChartExporter } from './chart-exporter.js';
import { ManifestExporter } from './manifest-exporter.js';

/** The export formats that are generated from the content of a design. */
export const CONVERTED_FORMATS = ['design', 'json', 'kubernetes', 'helm', 'docker-compose'] as const;
export type ConvertedFormat = (typeof CONVERTED_FORMATS)[number];

const MAX_FAULTS = 100;

interface ExportTaskInput {
  form: ConvertedFormat;
  content: PackedContent;
  /** The current name of the design. */
  name: string;
  /** The source of the design, when it is of this format. */
  source: SourceFile | null;
  limits: FormatLimits;
}

/** Exports a design as a file. Throws InvalidRequest for a format that cannot express the design. */
export const exportTask = defineTask<ExportTaskInput, Uint8Array>(import.meta.url, { exportInWorker });

/** Task of the worker pool. */
export async function exportInWorker({
  form,
  content,
  name,
  source,
  limits,
}: ExportTaskInput): Promise<TransferredValue<Uint8Array>> {
  const made = await convertDesign(form, () => ({ ...parseDesignFile(content), name }), source, limits);
  return transferBytes(typeof made === 'string' ? new TextEncoder().encode(made) : new Uint8Array(made));
}

async function convertDesign(
  form: ConvertedFormat,
  readDesign: () => DesignFile,
  source: SourceFile | null,
  limits: FormatLimits,
): Promise<string | Buffer> {
  const tasks = new InlineTaskRunner();
  const reader = new DocumentReader(tasks, limits);
  const readDistinct = () => requireDistinct(readDesign(), form);
  switch (form) {
    case 'design':
      return toYaml([readDesign()]);
    case 'json':
      return `${stringifyExact(readDesign(), 2)}\n`;
    case 'kubernetes': {
      const manifests = new ManifestExporter(reader);
      return source ? manifests.fromSource(readDesign, source) : manifests.fromDesign(readDistinct());
    }
    case 'helm': {
      const charts = new ChartExporter(reader, tasks);
      return source ? charts.fromSource(readDesign(), source) : charts.fromDesign(readDistinct());
    }
    case 'docker-compose':
      return toComposeText(readDesign());
  }
}

/** Refuses a design that contains a resource twice, which neither a cluster nor an import would accept. */
function requireDistinct(design: DesignFile, form: ConvertedFormat): DesignFile {
  const faults = new FaultList(MAX_FAULTS);
  for (const { component, index, first } of findRepeatedResources(design.components))
    faults.add({
      pointer: `/components/${index}`,
      detail: `${component.component.kind} ${component.displayName} is the same resource as /components/${first}`,
      remedy: 'Remove one of the two, or give it another name; export=design and json have both.',
    });
  faults.throwIfAny(`export=${form}`);
  return design;
}

function toComposeText(file: DesignFile): string {
  if (!isObject(file.metadata['compose'])) {
    const remedy = 'Use export=kubernetes, helm, design or json.';
    throw InvalidRequest.forField(
      'export',
      'docker-compose is only for designs that were imported from a Compose file',
      remedy,
    );
  }
  const { file: compose, unconverted: left } = toCompose(file);
  const text = toYaml([compose]);
  if (left.length === 0) return text;
  const names = left.map(({ component, displayName }) => `${component.kind} ${displayName}`.replace(/\s+/g, ' '));
  return `# Compose cannot say: ${names.join(', ')}\n${text}`;
}
