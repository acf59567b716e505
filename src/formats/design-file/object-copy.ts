import { isObject, type Json } from '../../core/json/json.js';

/** Members by which the copy of an object, or of a part of one, is recognized. */
const OBJECT_MEMBERS = new Set(['apiVersion', 'spec', 'data', 'stringData', 'template', 'containers', 'env']);
/** The same at the start of a line of YAML. */
const YAML_MEMBER = /^[ \t]*(?:-[ \t])?["']?(?:apiVersion|spec|data|stringData|template|containers|env)["']?[ \t]*:/m;
/** How gzip, zlib, zip, bzip2, xz, Zstandard and LZ4 begin, in base64. */
const COMPRESSED = /^(?:H4sI|eJ[w-z]|eA[E-H]|eF[4-7]|eN[o-r]|UEsD|QlpoO|\/Td6WFo|KLUv\/|BCJNGA)/;
const BASE64 = /^[A-Za-z0-9+/_-]{8,}={0,2}$/;
/** Values nested deeper count as copies: nothing else is. */
const MAX_DEPTH = 50;

/**
 * Whether a text contains a copy of an object, as tools store it in annotations: as JSON or YAML, whole or in part, also encoded as
 * base64. What is compressed cannot be read and counts as a copy.
 */
export function isObjectCopy(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  return isCopy(text) || (BASE64.test(text.trim()) && isEncodedCopy(text.trim()));
}

function isEncodedCopy(text: string): boolean {
  return COMPRESSED.test(text) || isCopy(Buffer.from(text, 'base64').toString('utf8'));
}

function isCopy(text: string): boolean {
  if (/^\s*["[{]/.test(text)) {
    try {
      return hasObjectMember(JSON.parse(text) as Json, 0);
    } catch {
      // It may be YAML.
    }
  }
  return YAML_MEMBER.test(text);
}

function hasObjectMember(value: Json, depth: number): boolean {
  if (depth > MAX_DEPTH) return true;
  if (typeof value === 'string') return depth > 0 && depth < 3 && isObjectCopy(value);
  if (Array.isArray(value)) return value.some((item) => hasObjectMember(item, depth + 1));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, one]) => OBJECT_MEMBERS.has(name) || hasObjectMember(one, depth + 1));
}
