import { type Fault } from '../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject, asText } from '../../core/json/json.js';
import type { LocatedDocument } from '../documents/located-document.js';
import { toPointer } from '../../core/json/json-pointer.js';

/** The fields of Chart.yaml that other code needs. */
export interface ChartMetadata {
  name: string;
  version: string;
  appVersion: string;
  description: string;
}

/** A dependency of a chart, and its location. */
export interface ChartDependency {
  name: string;
  repository: string;
  version: string;
  document: LocatedDocument;
  pointer: string;
}

const NAME = /^[a-zA-Z0-9._-]+$/;

/** The metadata of a chart from the documents of its Chart.yaml, and everything that Helm would refuse. */
export function parseChartMetadata(
  file: string,
  documents: readonly LocatedDocument[],
): { head: ChartMetadata; faults: Fault[] } {
  const [document, ...more] = documents;
  const data = document?.object;
  const none: ChartMetadata = { name: '', version: '', appVersion: '', description: '' };
  if (!document) return { head: none, faults: [{ file, detail: 'is empty', remedy: 'Give it a name and a version.' }] };
  if (!data) return { head: none, faults: [document.faultAt('', 'is not a mapping', 'Begin with "apiVersion: v2".')] };
  const faults = more.map((extra) => extra.faultAt('', 'Chart.yaml is one document', 'Remove the others.'));
  for (const [field, example] of Object.entries(REQUIRED_FIELDS)) {
    const value = data[field] ?? null;
    const written = typeof value === 'string' && value !== '';
    if (written) continue;
    const remedy = typeof value === 'number' ? `Put ${String(value)} in quotes.` : `Write "${field}: ${example}".`;
    faults.push(document.faultAt(`/${field}`, `${field} ${value === null ? 'is missing' : 'must be text'}`, remedy));
  }
  const { apiVersion, type } = data;
  if (typeof apiVersion === 'string' && apiVersion !== '' && apiVersion !== 'v1' && apiVersion !== 'v2') {
    faults.push(
      document.faultAt('/apiVersion', `apiVersion is "${apiVersion}", not v1 or v2`, 'Write "apiVersion: v2".'),
    );
  }
  if (asText(data['name']) !== '' && !NAME.test(asText(data['name']))) {
    faults.push(document.faultAt('/name', 'name may have letters, digits, ".", "_" and "-" only', 'Rename the chart.'));
  }
  if (type === 'library') {
    const remedy = 'Import a chart of type application that depends on it.';
    faults.push(
      document.faultAt('/type', 'is a library chart: it has helpers for other charts and no resources', remedy),
    );
  } else if ((type ?? 'application') !== 'application' && type !== '') {
    faults.push(document.faultAt('/type', 'type must be application or library', 'Write "type: application".'));
  }
  return { head: toChartMetadata(data), faults };
}

/** The dependencies that a chart declares, in Chart.yaml or in the requirements.yaml of older charts. */
export function parseChartDependencies(documents: readonly LocatedDocument[]): ChartDependency[] {
  return documents.flatMap((document) => {
    const list = document.object?.['dependencies'];
    if (!Array.isArray(list)) return [];
    return list.flatMap((item: Json, index): ChartDependency[] => {
      if (!isObject(item) || asText(item['name']) === '') return [];
      const { name, repository, version } = item;
      const written = { name: asText(name), repository: asText(repository), version: asText(version) };
      return [{ ...written, document, pointer: toPointer('dependencies', index) }];
    });
  });
}

const REQUIRED_FIELDS = { apiVersion: 'v2', name: 'shop', version: '0.1.0' };

function toChartMetadata({ name, version, appVersion, description }: JsonObject): ChartMetadata {
  const app = typeof appVersion === 'number' ? String(appVersion) : asText(appVersion);
  return { name: asText(name), version: asText(version), appVersion: app, description: asText(description) };
}
