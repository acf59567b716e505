import { hasFormat } from '../values/text-formats.js';
import { parseIp } from '../values/ip-address.js';
import { compilePattern } from '../values/pattern.js';
import { parseTimestamp } from '../values/timestamp.js';

/** The formats that JSON Schema defines otherwise than custom resources, which use the parsers of Go. */
const FORMAT_RULES: Record<string, (text: string) => boolean> = {
  'date-time': (text) => parseTimestamp(text.replace(' ', 'T').replace(/:60(?=[.Zz+-]|$)/, ':59')) !== undefined,
  time: (text) => parseTimestamp(`2000-01-01T${text.replace(/:60(?=[.Zz+-]|$)/, ':59')}`) !== undefined,
  duration: (text) => /^P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?)$/.test(text),
  uri: (text) => /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s<>"{}|\\^`]*$/.test(text),
  ipv4: (text) => text.includes('.') && parseIp(text)?.family === 4,
  regex: (text) => typeof compilePattern(text) !== 'string' || isPlainRegExp(text),
  uuid: (text) => /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
  byte: (text) => text === '' || hasFormat('byte', text.replace(/[\r\n]/g, '')),
};
const SHARED_FORMATS = new Set(['date', 'email', 'hostname', 'ipv6']);
const MAX_TEXT_LENGTH = 10_000;

/** Whether a text has a format; true for unknown formats. */
export function hasSchemaFormat(format: string, text: string): boolean {
  if (format === 'byte') return FORMAT_RULES['byte']?.(text) ?? true;
  if (text.length > MAX_TEXT_LENGTH) return true;
  if (SHARED_FORMATS.has(format)) return hasFormat(format, text);
  return Object.hasOwn(FORMAT_RULES, format) ? (FORMAT_RULES[format]?.(text) ?? true) : true;
}

function isPlainRegExp(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false; // the text is invalid
  }
}
