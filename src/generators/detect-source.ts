import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { isObject, type Json, asObject } from '../core/json/json.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import { crdGenerator } from './crd-generator.js';
import { type Generator } from './generator.js';
import { helmGenerator } from './helm-generator.js';
import { openApiGenerator } from './openapi-generator.js';
import { truncateText } from './truncate-text.js';
import { type GeneratorSource } from './generator-source.js';
import { countOf } from '../core/errors/wording.js';

/** All generators, in the order in which they examine the content. */
export const GENERATORS: readonly Generator[] = [helmGenerator, crdGenerator, openApiGenerator];

const ACCEPTED = `Send one of: ${GENERATORS.map(({ description }) => description).join('; ')}.`;

/**
 * Detects the type of a source by its content.
 * Throws InvalidRequest with its syntax faults, or `UNKNOWN_FORMAT`, naming the detected type and the accepted ones, for an unsupported source.
 */
export function detectSource(source: GeneratorSource): Generator {
  const [only] = source.files;
  // Syntax faults of a single file are more specific than UNKNOWN_FORMAT.
  if (!source.archive && only) source.documents(only);
  const generator = GENERATORS.find((one) => one.detect(source));
  if (generator) return generator;
  const { seen, remedy } = describeSource(source);
  const fault: Fault = { file: source.name, detail: seen, remedy };
  throw new InvalidRequest(`${source.name}: ${seen}`, { code: 'UNKNOWN_FORMAT', errors: [fault], remedy });
}

function describeSource(source: GeneratorSource): { seen: string; remedy: string } {
  if (source.archive) {
    const names = source.files.slice(0, 5).map(({ path }) => truncateText(path, 100));
    const looksLikeChart = source.files.some(({ path }) => /(?:^|\/)templates\//.test(path));
    const remedy = looksLikeChart ? 'A chart needs a Chart.yaml: pack it with "helm package".' : ACCEPTED;
    return {
      seen: `holds ${countOf(source.files.length, 'file')}, none of a known format (${names.join(', ')})`,
      remedy,
    };
  }
  const documents = source.textFiles.flatMap((file) => source.documents(file));
  const [first] = documents;
  if (!first) return { seen: 'holds nothing but comments or empty documents', remedy: ACCEPTED };
  return { seen: `is ${describeShape(documents, first.value)}`, remedy: hint(first.value) ?? ACCEPTED };
}

function describeShape(documents: readonly LocatedDocument[], first: Json): string {
  if (Array.isArray(first)) return 'a list';
  if (!isObject(first)) return `one ${first === null ? 'empty' : typeof first} value`;
  const kinds = new Set(documents.map(({ object }) => object?.['kind']).filter((kind) => typeof kind === 'string'));
  if (first['apiVersion'] !== undefined && kinds.size > 0) {
    return `${joinWords([...kinds])} of Kubernetes, and no CustomResourceDefinition`;
  }
  return `an object with ${joinWords(Object.keys(first))}, which no source here begins with`;
}

/** The remedy for files that are often sent by mistake. */
function hint(value: Json): string | undefined {
  const { apiVersion, name, schemaVersion, kind } = asObject(value);
  if (apiVersion !== undefined && name !== undefined) return 'Send the whole chart as .tgz.';
  if (schemaVersion !== undefined) return 'Definitions of models and components are registered, not generated from.';
  if (apiVersion !== undefined && kind !== undefined) {
    return 'Send the definition of the kind: what "kubectl get crd NAME -o yaml" prints.';
  }
  return undefined;
}

function joinWords(words: readonly string[]): string {
  const shown = words.slice(0, 6).map((word) => truncateText(word, 40));
  return shown.join(', ') + (words.length > shown.length ? ', …' : '');
}
