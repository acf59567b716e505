import { unpack } from '../../formats/archive.js';
import { isObject, type JsonObject, type LocatedDocument, textOf } from '../../formats/located.js';
import { type SourceFile } from '../../formats/source-file.js';
import { AppError } from '../../core/errors/app-error.js';
import { type Contents } from './contents.js';
import { type Source } from './source.js';

const NAME = /^[A-Za-z0-9._-]{1,250}$/;
const VERSION = /^v?\d+(?:\.\d+){0,2}(?:[-+][0-9A-Za-z.+-]*)?$/;
/** A line of a file, or of a template for one, that makes it a definition. */
export const DEFINITION = /^[ \t]*kind:[ \t]*["']?CustomResourceDefinition/m;
const PACKED = /(?:^|\/)charts\/[^/]+\.(?:tgz|tar\.gz)$/;
const MOST_ARCHIVES = 100;
const DEEPEST = 3;

/** A chart, read from its Chart.yaml. */
export interface Chart {
  /** Folder with `/` at its end, or empty. */
  root: string;
  name: string;
  version: string;
  facts: JsonObject;
  /** Chart.yaml. */
  document: LocatedDocument;
}

/** Folders of the charts that are no subcharts, with `/` at their end. */
export function chartRoots(files: readonly SourceFile[]): string[] {
  const all = files.filter(({ path }) => /(?:^|\/)Chart\.ya?ml$/.test(path)).map(({ path }) => folderOf(path));
  return [...new Set(all)].filter((root) => !all.some((other) => other !== root && root.startsWith(`${other}charts/`)));
}

/** Whether definitions may come of the templates of a chart: some file outside of `crds/` holds one, or a packed subchart may. */
export function definesInTemplates(files: readonly SourceFile[]): boolean {
  return files.some(({ path, bytes }) => {
    if (PACKED.test(path)) return true;
    if (/(?:^|\/)crds\//.test(path)) return false;
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return content.includes('CustomResourceDefinition') && DEFINITION.test(content.toString('latin1'));
  });
}

/** Reads Chart.yaml; undefined when the chart is of no use, with the reason in `contents`. */
export function readChart(source: Source, contents: Contents): Chart | undefined {
  const roots = chartRoots(source.files);
  if (roots.length !== 1) {
    const detail = roots.length === 0 ? 'has no Chart.yaml' : `holds ${roots.length} charts (${roots.slice(0, 5).join(', ')})`; // prettier-ignore
    contents.refuse(source.name, { detail, remedy: 'Send one chart, as "helm package" makes it.' });
    return undefined;
  }
  const [root = ''] = roots;
  const file = source.files.find(({ path }) => path === `${root}Chart.yaml`) ?? source.files.find(({ path }) => path === `${root}Chart.yml`); // prettier-ignore
  if (!file) return undefined;
  const documents = source.tryDocuments(file);
  if (!Array.isArray(documents)) {
    contents.refuse(file.path, documents);
    return undefined;
  }
  const [document] = documents;
  const facts = document?.object;
  if (!document || !facts) {
    contents.refuse(file.path, { detail: 'must be an object', remedy: 'Write name, version and apiVersion.' });
    return undefined;
  }
  let sound = true;
  const fault = (pointer: string, detail: string, remedy: string): void => {
    sound = false;
    contents.fault('model', { document, pointer }, detail, remedy);
  };
  const name = textOf(facts['name']);
  const version = typeof facts['version'] === 'number' ? String(facts['version']) : textOf(facts['version']);
  if (!NAME.test(name)) fault('/name', 'must be letters, digits, hyphens, dots and underscores', 'Write it as in "name: ingress-nginx".'); // prettier-ignore
  if (!VERSION.test(version)) fault('/version', 'must be a semantic version', 'Write it as in "version: 1.2.3".');
  dependenciesOf(facts).forEach((dependency, index) => {
    if (dependency !== name) return;
    fault(`/dependencies/${index}`, 'is the chart itself, so that it cannot be installed', 'Remove the dependency.');
  });
  return sound ? { root, name, version, facts, document } : undefined;
}

/** Names of the charts that a chart depends on. */
export function dependenciesOf(facts: JsonObject): string[] {
  const { dependencies } = facts;
  return Array.isArray(dependencies) ? dependencies.filter(isObject).map((one) => textOf(one['name'])) : [];
}

/** The files of a chart with those of its packed subcharts (`charts/NAME-1.2.3.tgz`) below `charts/NAME-1.2.3.tgz/`; all archives together keep to the limits of one. */
export async function withSubcharts({ files: given, limits }: Source, contents: Contents): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const unpacked = { entries: given.length, bytes: given.reduce((sum, { bytes }) => sum + bytes.length, 0) };
  let archives = 0;
  const add = async (file: SourceFile, depth: number): Promise<void> => {
    if (!PACKED.test(file.path)) {
      files.push(file);
      return;
    }
    archives += 1;
    if (archives > MOST_ARCHIVES || depth > DEEPEST) {
      contents.refuse(file.path, { detail: `is more than ${MOST_ARCHIVES} subcharts, or more than ${DEEPEST} levels of them` }); // prettier-ignore
      return;
    }
    try {
      const members = await unpack(file, limits, unpacked);
      for (const member of members.values()) {
        await add({ path: `${file.path}/${member.path}`, bytes: member.bytes }, depth + 1);
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      contents.refuse(file.path, error);
    }
  };
  for (const file of given) await add(file, 1);
  return files;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
