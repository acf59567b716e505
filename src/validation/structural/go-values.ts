import type { Json } from '../../core/json/json.js';
import { toFieldPath, type Findings, invalidValue, quoted } from '../schema/findings.js';
import { isBase64 } from '../values/text-formats.js';
import { checkMetaShape } from './object-meta.js';
import { parseQuantity } from '../values/quantity.js';
import { INT32, isInteger, jsonTypeOf } from './scalars.js';
import type { SchemaNode } from '../schema/schema-node.js';
import { parseTimestamp } from '../values/timestamp.js';

/**
 * Checks values that the Go decoder of a built-in type refuses: quantities, times, bytes, numbers out of range.
 *
 * @returns whether the value needs no further checks
 */
export function checkGoValue(value: Json, node: SchemaNode, at: string, findings: Findings): boolean {
  const report = (keyword: string, why: string): true => {
    findings.error(at, keyword, invalidValue(value, `${toFieldPath(at)}: ${why}`));
    return true;
  };
  if (value === null) return true;
  switch (node.goType ?? (node.format === 'date-time' ? 'time' : undefined)) {
    case 'quantity': {
      if (typeof value === 'number') return true;
      const amount = typeof value === 'string' ? parseQuantity(value) : 'quantities must be text or a number';
      return typeof amount === 'string' ? report('format', amount) : true;
    }
    case 'int-or-string':
      if (typeof value === 'string') return true;
      return typeof value === 'number' && isInt32(value)
        ? true
        : report('type', `cannot unmarshal ${jsonTypeOf(value)} into int32`);
    case 'time':
      if (typeof value !== 'string') return report('type', `cannot unmarshal ${jsonTypeOf(value)} into a time`);
      return parseTimestamp(value) === undefined ? report('format', `parsing time ${quoted(value)}`) : true;
    case 'object-meta':
      checkMetaShape(value, at, findings);
      return true;
    case 'any':
      return true;
    case undefined:
      return checkGoScalar(value, node, report);
  }
}

function checkGoScalar(value: Json, node: SchemaNode, report: (keyword: string, why: string) => true): boolean {
  const { format } = node;
  if (typeof value === 'string' && format === 'byte')
    return value === '' || isBase64(value.replace(/[\r\n]/g, '')) ? true : report('format', 'illegal base64 data');
  if (typeof value !== 'number' || !node.types.includes('integer')) return false;
  const fits = format === 'int32' ? isInt32(value) : isInteger(value);
  return fits ? false : report('type', `cannot unmarshal number into Go value of type ${format ?? 'int64'}`);
}

function isInt32(value: number): boolean {
  return isInteger(value) && value >= INT32.least && value <= INT32.most;
}
