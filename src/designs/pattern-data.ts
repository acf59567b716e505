import { InvalidRequest } from '../core/errors/app-error.js';
import { toJsonBytes } from '../core/json/packed-json.js';
import { assertOneSent } from '../core/rest/alternatives.js';
import { findNameFault, normalizeText } from '../core/schema/one-line-text.js';
import { SETTING_NAMES, type SourceSettings } from './source-settings.js';

/** The parsed content of `pattern_data`. */
export interface PatternData {
  /** The bytes of `design_file` (object or text) or `pattern_file` (text or base64); undefined when neither was sent. */
  content?: Uint8Array;
  settings: SourceSettings;
}

export const PATTERN_MEMBERS = ['id', 'name', 'design_file', 'pattern_file', ...SETTING_NAMES] as const;

export function parsePatternData(data: Record<string, unknown>): PatternData {
  const settings = Object.fromEntries(SETTING_NAMES.map((name) => [name, data[name]]));
  return { content: readContent(data['design_file'], data['pattern_file']), settings };
}

/** The name outside, else that in `pattern_data`. @throws InvalidRequest when there is none, or no name */
export function requirePatternName(name: string | undefined, data: Record<string, unknown>): string {
  if (name !== undefined) return name;
  const inside = data['name'];
  if (inside === undefined || inside === null || inside === '')
    throw InvalidRequest.forField('/name', 'is required', 'Send a name of 1 to 255 characters.');
  const normalized = typeof inside === 'string' ? normalizeText(inside) : '';
  const fault = typeof inside === 'string' ? findNameFault(normalized) : 'must be a string';
  if (fault !== undefined || normalized === '' || normalized.length > MAX_NAME_LENGTH)
    throw InvalidRequest.forField('/pattern_data/name', fault ?? `must have 1 to ${MAX_NAME_LENGTH} characters`);
  return normalized;
}

const MAX_NAME_LENGTH = 255;

export function contentRequired(): InvalidRequest {
  return InvalidRequest.forField(
    '/pattern_data/design_file',
    'is required',
    'Send the design as an object or text in design_file, or as text or base64 in pattern_file.',
  );
}

function readContent(designFile: unknown, patternFile: unknown): Uint8Array | undefined {
  assertOneSent({ '/pattern_data/design_file': designFile, '/pattern_data/pattern_file': patternFile });
  const sent = designFile ?? patternFile;
  if (sent === undefined || sent === null) return undefined;
  if (typeof sent === 'object') return toJsonBytes(sent);
  if (typeof sent !== 'string' || sent.trim() === '') throw contentRequired();
  const isEncoded = typeof designFile !== 'string' && looksLikeBase64(sent);
  return Buffer.from(sent, isEncoded ? 'base64' : 'utf8');
}

/** Whether text is valid only as base64. Takes time in proportion to its length. */
function looksLikeBase64(text: string): boolean {
  if (text.length <= 16 || !/^[A-Za-z0-9+/=\s]*$/.test(text.slice(0, 1000))) return false;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text.replace(/\s+/g, ''));
}
