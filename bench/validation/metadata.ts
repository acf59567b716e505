import type { Json } from '../../src/core/json/json.js';

/** Members of metadata, most of which an API server refuses. */
export const METADATA: Record<string, Json>[] = [
  { name: 'Upper' },
  { name: '' },
  { name: 'a'.repeat(254) },
  { name: 'a'.repeat(64) },
  { name: 'a_b' },
  { name: 'a.b' },
  { name: '1a' },
  { name: 7 },
  { name: 'a/b' },
  { labels: { 'a b': 'c' } },
  { labels: { a: 'c d' } },
  { labels: { a: 7 } },
  { labels: { a: 'x'.repeat(64) } },
  { labels: ['a'] },
  { annotations: { 'a//b': 'c' } },
  { annotations: { a: 7 } },
  { annotations: { UPPER: 'c d' } },
  { finalizers: ['a b'] },
  { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a' }] },
  { creationTimestamp: 'yesterday' },
  { unknownField: 'a' },
  { generation: -1 },
];
