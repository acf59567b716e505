import { InvalidRequest } from '../../core/errors/app-error.js';
import { parseDocuments } from '../../formats/documents/parse-documents.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../../formats/sources/format-limits.js';
import {
  readContexts,
  invalidKubeconfig,
  type KubeconfigContext,
  type KubeconfigSettings,
  SPLIT_REMEDY,
} from './kubeconfig.js';

const MAX_CHARACTERS = 1024 * 1024;
/**
 * The parse time depends on the number of nodes. 100 contexts have some 3,000 lines or, as JSON, some 3,500
 * separators and 1,000 brackets; anchors and tags are rare.
 */
const MAX_SEPARATORS = 20_000;
const MAX_INDICATORS = 3_000;

const LIMITS: FormatLimits = {
  ...DEFAULT_FORMAT_LIMITS,
  textBytes: 4 * MAX_CHARACTERS,
  depth: 20,
  aliasBytes: MAX_CHARACTERS,
  /** The first fault, with the number of the others in its message. */
  faults: 2,
};

/**
 * Parses a kubeconfig (YAML or JSON) synchronously on this thread; use KubeconfigLoader for user input.
 * @throws InvalidRequest `KUBECONFIG_INVALID`
 */
export function parseKubeconfig(text: string, settings: KubeconfigSettings): KubeconfigContext[] {
  if (text.length > MAX_CHARACTERS) throw invalidKubeconfig(`it is longer than ${MAX_CHARACTERS} characters`);
  if (countMatches(text, /[\n,]|[-?:](?=\s)/g) > MAX_SEPARATORS || countMatches(text, /[[\]{}&*!]/g) > MAX_INDICATORS)
    throw invalidKubeconfig('it has too many entries', {}, SPLIT_REMEDY);
  const [document, ...others] = parseValues(text);
  if (others.length > 0) throw invalidKubeconfig('it holds several documents');
  return readContexts(document, settings);
}

function parseValues(text: string): unknown[] {
  try {
    return parseDocuments({ path: 'kubeconfig', bytes: Buffer.from(text) }, 'kubernetes', LIMITS).map(
      ({ value }) => value,
    );
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    const [first] = error.errors;
    throw invalidKubeconfig(first?.detail ?? error.message, { line: first?.line, column: first?.column });
  }
}

function countMatches(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
