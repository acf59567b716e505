import { mapLargeIntegers } from '../../../core/json/large-integers.js';
import { type Document, isMap, isScalar, type Node, parseDocument } from 'yaml';
import { InvalidRequest } from '../../../core/errors/app-error.js';
import { isObject, type JsonObject } from '../../../core/json/json.js';
import { defineTask, type Task } from '../../../core/workers/task.js';

interface ValuesTaskInput {
  text: string;
  values: JsonObject;
}

/** Task of the worker pool: see withValues. */
export const withValuesTask: Task<ValuesTaskInput, string> = defineTask(import.meta.url, { withValues });

/** The text of a values.yaml with changed values; comments, order and all other values stay. */
export function withValues({ text, values }: ValuesTaskInput): string {
  const document: Document = parseDocument(text, { version: '1.1' });
  if (document.errors.length > 0) {
    const detail = `values.yaml of the chart cannot be changed: ${document.errors[0]?.message ?? ''}`;
    throw new InvalidRequest(detail, { remedy: 'Export the chart as it was imported: export=source.' });
  }
  if (!isMap(document.contents)) document.contents = document.createNode({});
  merge(document, [], values);
  return document.toString({ lineWidth: 0 });
}

function merge(document: Document, path: string[], values: JsonObject): void {
  for (const [key, value] of Object.entries(values)) {
    const at = [...path, key];
    const before = document.getIn(at, true);
    if (isObject(value) && isMap(before)) merge(document, at, value);
    else document.setIn(at, withCommentOf(before, document.createNode(mapLargeIntegers(value, BigInt))));
  }
}

function withCommentOf(before: unknown, node: Node): Node {
  if (isScalar(before) && isScalar(node)) node.comment = before.comment;
  return node;
}
