import { showLargeIntegers } from '../../../core/json/large-integers.js';
import type { Json } from '../../../core/json/json.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import { sanitizeClusterText } from '../../clusters/sanitize-cluster-text.js';
import { withoutSecrets } from '../resource-row.js';

/** The maximum length of a description and of a value in it, and the maximum nesting. */
const MAX_TEXT = 200_000;
const MAX_VALUE = 4_000;
const MAX_DEPTH = 20;
const CUT = '… (cut)';

/** Describes an object and its events like `kubectl describe`: Secret values as sizes, values of environment variables hidden. */
export function describeObject(
  kind: ResourceKind,
  object: KubernetesObject,
  events: KubernetesObject[],
  now = Date.now(),
): string {
  const { metadata, apiVersion, kind: name, ...fields } = withoutSecrets(kind, object);
  const lines = new Lines();
  lines.field('Name', metadata.name);
  if (metadata.namespace) lines.field('Namespace', metadata.namespace);
  lines.map('Labels', metadata.labels, '=');
  lines.map('Annotations', metadata.annotations, ': ');
  lines.field('API Version', apiVersion);
  lines.field('Kind', name);
  lines.add('Metadata:');
  for (const [field, value] of Object.entries(metadata))
    if (!['name', 'namespace', 'labels', 'annotations'].includes(field)) lines.value(toTitle(field), value, 1);
  for (const [field, value] of Object.entries(fields)) lines.value(toTitle(field), value, 0, field !== 'data');
  describeEvents(lines, events, now);
  return lines.toString();
}

function describeEvents(lines: Lines, events: KubernetesObject[], now: number): void {
  if (events.length === 0) return lines.add('Events:  <none>');
  const rows = events
    .map((event) => toEventRow(event, now))
    .sort((a, b) => b.age - a.age)
    .map(({ age, cells: [type, reason, from, message] }) => [type, reason, toAge(age), from, message]);
  const table = [['Type', 'Reason', 'Age', 'From', 'Message'], ['----', '------', '----', '----', '-------'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  lines.add('Events:');
  for (const row of table)
    lines.add(`  ${row.map((cell, column) => cell?.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

function toEventRow(event: KubernetesObject, now: number): { age: number; cells: string[] } {
  const text = (value: unknown): string => sanitizeClusterText(value, MAX_VALUE).replaceAll('\n', ' ');
  const { lastTimestamp, eventTime, firstTimestamp, source, reportingComponent, count } = event as Record<
    string,
    unknown
  >;
  const at = [lastTimestamp, eventTime, firstTimestamp, event.metadata.creationTimestamp].find(
    (time): time is string => typeof time === 'string' && !Number.isNaN(Date.parse(time)),
  );
  const { component } = (typeof source === 'object' && source !== null ? source : {}) as { component?: unknown };
  const times = typeof count === 'number' && count > 1 ? ` (x${count})` : '';
  return {
    age: Math.max(0, now - (at ? Date.parse(at) : now)),
    cells: [
      text(event['type']),
      text(event['reason']),
      text(component) || text(reportingComponent),
      text(event['message']) + times,
    ],
  };
}

function toAge(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** Converts `creationTimestamp` to `Creation Timestamp`. */
function toTitle(field: string): string {
  const words = field.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

class Lines {
  private readonly lines: string[] = [];
  private size = 0;
  private isCut = false;

  add(line: string): void {
    this.size += line.length + 1;
    if (this.size > MAX_TEXT) this.isCut = true;
    if (!this.isCut) this.lines.push(line);
  }

  field(name: string, value: string, depth = 0): void {
    const label = `${'  '.repeat(depth)}${name}:`;
    this.add(`${label.padEnd(13 + 2 * depth)} ${value}`);
  }

  map(name: string, values: Record<string, string> | undefined, sign: string): void {
    const entries = Object.entries(values ?? {});
    if (entries.length === 0) return this.field(name, '<none>');
    for (const [index, [key, value]] of entries.entries()) {
      const text = `${key}${sign}${toText(value)}`;
      if (index === 0) this.field(name, text);
      else this.add(`${' '.repeat(14)}${text}`);
    }
  }

  value(name: string, value: unknown, depth: number, hasTitles = true): void {
    if (this.isCut) return;
    const indent = '  '.repeat(depth);
    if (typeof value !== 'object' || value === null) {
      const text = toText(value);
      if (!text.includes('\n')) return this.field(name, text, depth);
      this.add(`${indent}${name}:`);
      for (const line of text.split('\n')) this.add(`${indent}  ${line}`);
    } else if (depth > MAX_DEPTH) this.add(`${indent}${name}:  ${CUT}`);
    else if (Array.isArray(value)) {
      this.add(`${indent}${name}:`);
      for (const item of value as unknown[]) this.item(item, depth + 1);
    } else {
      this.add(`${indent}${name}:`);
      for (const [field, inner] of Object.entries(value))
        this.value(hasTitles ? toTitle(field) : field, inner, depth + 1, hasTitles);
    }
  }

  private item(item: unknown, depth: number): void {
    const indent = '  '.repeat(depth);
    if (typeof item !== 'object' || item === null) return this.add(`${indent}${toText(item)}`);
    this.add(`${indent}-`);
    for (const [field, inner] of Object.entries(item)) this.value(toTitle(field), inner, depth + 1);
  }

  toString(): string {
    return [...this.lines, ...(this.isCut ? [CUT] : []), ''].join('\n');
  }
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  const shown = showLargeIntegers(value as Json);
  return sanitizeClusterText(typeof shown === 'string' ? shown : JSON.stringify(shown), MAX_VALUE);
}
