import { InvalidRequest } from '../../core/errors/app-error.js';
import type { DesignFile } from '../../formats/design-file.js';
import { DocumentReader } from '../../formats/document-reader.js';
import type { FormatLimits } from '../../formats/limits.js';
import { isObject } from '../../formats/located.js';
import type { SourceFile } from '../../formats/source-file.js';
import { type HandedOver, InPlace, type Task } from '../../formats/task.js';
import { toYaml } from '../../formats/yaml-writer.js';
import { composeOf } from '../formats/compose/to-compose.js';
import { fileIn, handedOver, type PackedContent } from '../versions/packed-content.js';
import { ChartExport } from './chart-export.js';
import { ManifestExport } from './manifest-export.js';

/** The forms that are made of the content of a design. */
export const madeForms = ['design', 'json', 'kubernetes', 'helm', 'docker-compose'] as const;
export type MadeForm = (typeof madeForms)[number];

interface Input {
  form: MadeForm;
  content: PackedContent;
  /** Of the design by now. */
  name: string;
  /** What the design was made of, when it was made of something in this very form. */
  source: SourceFile | null;
  limits: FormatLimits;
}

/** Makes a file of a design. Throws InvalidRequest for a form that cannot say what the design says. */
export const exportTask: Task<Input, Uint8Array> = { module: import.meta.url, name: 'exportInWorker' };

/** Task of the worker pool. */
export async function exportInWorker({ form, content, name, source, limits }: Input): Promise<HandedOver<Uint8Array>> {
  const made = await madeOf(form, { ...fileIn(content), name }, source, limits);
  return handedOver(typeof made === 'string' ? new TextEncoder().encode(made) : new Uint8Array(made));
}

async function madeOf(
  form: MadeForm,
  file: DesignFile,
  source: SourceFile | null,
  limits: FormatLimits,
): Promise<string | Buffer> {
  const tasks = new InPlace();
  const reader = new DocumentReader(tasks, limits);
  switch (form) {
    case 'design':
      return toYaml([file]);
    case 'json':
      return `${JSON.stringify(file, null, 2)}\n`;
    case 'kubernetes': {
      const manifests = new ManifestExport(reader);
      return source ? manifests.kept(file, source) : manifests.written(file);
    }
    case 'helm': {
      const charts = new ChartExport(reader, tasks);
      return source ? charts.kept(file, source) : charts.made(file);
    }
    case 'docker-compose':
      return composeFileOf(file);
  }
}

function composeFileOf(file: DesignFile): string {
  if (!isObject(file.metadata['compose'])) {
    const remedy = 'Take it as kubernetes, helm, design or json.';
    throw InvalidRequest.at('export', 'docker-compose is for designs that were made of a Compose file', remedy);
  }
  const { file: compose, left } = composeOf(file);
  const text = toYaml([compose]);
  if (left.length === 0) return text;
  const names = left.map(({ component, displayName }) => `${component.kind} ${displayName}`.replace(/\s+/g, ' '));
  return `# Compose cannot say: ${names.join(', ')}\n${text}`;
}
