import { InvalidRequest } from '../../core/errors/app-error.js';
import { readDocuments } from '../../formats/documents.js';
import { defaultLimits, type FormatLimits } from '../../formats/limits.js';
import { contextsOf, invalid, type KubeconfigContext, type KubeconfigSettings } from './kubeconfig.js';

const MAX_CHARACTERS = 1024 * 1024;
/**
 * Reading costs time by the node, not by the character. 100 contexts have some 3,000 lines or, as JSON, some 3,500
 * separators and 1,000 brackets; anchors and tags are rare.
 */
const MAX_SEPARATORS = 20_000;
const MAX_INDICATORS = 3_000;

const LIMITS: FormatLimits = {
  ...defaultLimits,
  textBytes: 4 * MAX_CHARACTERS,
  depth: 20,
  aliasBytes: MAX_CHARACTERS,
  faults: 1,
};

/**
 * Reads a kubeconfig (YAML or JSON) as data, at once and on this thread: for text that somebody sent go through Kubeconfigs.
 * @throws InvalidRequest `KUBECONFIG_INVALID`
 */
export function readKubeconfig(text: string, settings: KubeconfigSettings): KubeconfigContext[] {
  if (text.length > MAX_CHARACTERS) throw invalid(`it is longer than ${MAX_CHARACTERS} characters`);
  if (count(text, /[\n,]|[-?:](?=\s)/g) > MAX_SEPARATORS || count(text, /[[\]{}&*!]/g) > MAX_INDICATORS)
    throw invalid('it has too many entries');
  const [document, ...others] = documentsOf(text);
  if (others.length > 0) throw invalid('it holds several documents');
  return contextsOf(document, settings);
}

function documentsOf(text: string): unknown[] {
  try {
    return readDocuments({ path: 'kubeconfig', bytes: Buffer.from(text) }, 'kubernetes', LIMITS).map(
      ({ value }) => value,
    );
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    const [first] = error.errors;
    throw invalid(first?.detail ?? error.message, { line: first?.line, column: first?.column });
  }
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
