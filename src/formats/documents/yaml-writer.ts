import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { largeIntegerDigits } from '../../core/json/large-integers.js';

const PLAIN_TEXT = /^(?:[A-Za-z0-9_./$^+~(]|--?[A-Za-z])[\w./$^+~()=,;@%&*!?<>[\]{}|'"\\ :#-]*$/;
/** Plain text that a reader would interpret as structure in flow or block position: a key, a comment, trailing space. */
const STRUCTURE = /: |:$| #| $/;
/** Words that some reader interprets as a boolean, null or a merge key. */
const AMBIGUOUS_WORD = /^(?:y|yes|n|no|on|off|true|false|null|~|=|<<)$/i;
/** Text that may be a number, a time or base 60 for some reader. Dotted quads, quantities and semver are not. */
const NUMERIC = /^[-+.]?[\d.][\d_.,:eEtTzZxXoO+\- a-fA-F]*$|^[-+]?\.(?:inf|nan)$|^[-+]?e[-+]?\d+$/i;
const SURELY_TEXT = /^\d+(?:\.\d+){2,}$/;
/** Characters that a block or plain scalar cannot contain; line feeds belong to the block scalar. */
const UNPRINTABLE = /[^\t\n\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;
const MAX_IMPLICIT_KEY_LENGTH = 1000;

/**
 * Writes documents as YAML in the style of Kubernetes: two spaces, lists not indented, long lines never folded, text of several lines as a block.
 * Text that any reader (YAML 1.1 or 1.2) could interpret as a number, boolean, null or time is quoted, so that types are preserved.
 */
export function toYaml(documents: readonly (Json | object)[]): string {
  return documents.map((document) => writeDocument(document as Json)).join('---\n');
}

function writeDocument(value: Json): string {
  if (Array.isArray(value) && value.length > 0) return writeList(value, '').slice(1);
  if (isObject(value) && definedKeys(value).length > 0) return writeObject(value, '').slice(1);
  return `${writeInline(value, '')}\n`;
}

/** The value after `key:` or `-`, with its leading space or line break and its closing line feed. */
function writeNested(value: Json, indent: string, listIndent: string): string {
  if (Array.isArray(value) && value.length > 0) return writeList(value, listIndent);
  if (isObject(value) && definedKeys(value).length > 0) return writeObject(value, indent);
  return ` ${writeInline(value, indent)}\n`;
}

function writeObject(value: JsonObject, indent: string): string {
  let text = '\n';
  for (const key of definedKeys(value)) {
    const name = writeScalar(key);
    const member = value[key] ?? null;
    const short = name.length <= MAX_IMPLICIT_KEY_LENGTH;
    text += short ? `${indent}${name}:` : `${indent}? ${name}\n${indent}:`;
    text += writeNested(member, `${indent}  `, short ? indent : `${indent}  `);
  }
  return text;
}

function writeList(value: Json[], indent: string): string {
  let text = '\n';
  for (const item of value) {
    const below = writeNested(item, `${indent}  `, `${indent}  `);
    text += `${indent}- ${below.startsWith('\n') ? below.slice(indent.length + 3) : below.slice(1)}`;
  }
  return text;
}

function writeInline(value: Json, indent: string): string {
  if (typeof value === 'string') return largeIntegerDigits(value) ?? writeText(value, indent);
  if (Array.isArray(value)) return '[]';
  return isObject(value) ? '{}' : value === undefined ? 'null' : JSON.stringify(value);
}

function writeText(text: string, indent: string): string {
  return text.includes('\n') ? writeBlock(text, indent) : writeScalar(text);
}

function writeScalar(text: string): string {
  const plain =
    PLAIN_TEXT.test(text) &&
    !STRUCTURE.test(text) &&
    !AMBIGUOUS_WORD.test(text) &&
    !(NUMERIC.test(text) && !SURELY_TEXT.test(text));
  return plain && !text.startsWith('...') ? text : writeQuoted(text);
}

/** JSON strings are YAML strings; characters that YAML 1.1 treats as line breaks or refuses are escaped in addition. */
function writeQuoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function writeBlock(text: string, indent: string): string {
  if (UNPRINTABLE.test(text) || /^\n*$|[ \t]\n*$/.test(text) || indent === '') return writeQuoted(text);
  const indicator = /^[ \n\t]/.test(text) ? '2' : '';
  const end = text.endsWith('\n\n') ? '+' : text.endsWith('\n') ? '' : '-';
  const lines = text.replace(/\n$/, '').split('\n');
  return `|${indicator}${end}\n${lines.map((line) => (line === '' ? '' : indent + line)).join('\n')}`;
}

function definedKeys(value: JsonObject): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}
