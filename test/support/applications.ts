import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { archiveOf, filesIn } from '../../src/designs/formats/archive.fixture.js';
import { Project } from '../../src/designs/formats/kustomize/corpus.fixture.js';
import { type SourceFile } from '../../src/formats/sources/source-file.js';

/** Something that others deploy: a chart, a Kustomization, a Compose project, or the manifests of one folder. */
export interface Application {
  /** Its folder or file, and what it is. */
  name: string;
  /** What is sent to be imported; made when it is wanted. */
  source: () => Promise<SourceFile>;
  /** Fields of the import. */
  fields: Record<string, string>;
}

const COMPOSE = /^(?:docker-)?compose\.ya?ml$/;
const MANIFEST = /\.(?:ya?ml|json)$/;
const RESOURCE = /^\s*"?(?:apiVersion|kind)"?:/m;

/** The applications below a folder, in the order of their paths. */
export function applicationsIn(root: string): Application[] {
  const files = filesIn(root, '.');
  const folders = [...new Set(Object.keys(files).map((path) => dirname(path)))].sort();
  const charts = folders.filter((folder) => join(folder, 'Chart.yaml') in files);
  const project = new Project(files);
  const isInChart = (folder: string): boolean => charts.some((chart) => folder.startsWith(`${chart}/`));
  const packed = Object.keys(files).filter((path) => path.endsWith('.tgz') && !isInChart(dirname(path)));
  return [
    ...folders.filter((folder) => !isInChart(folder)).flatMap((folder) => applicationOf(folder)),
    ...packed.map((path) => ({
      name: path,
      source: () => Promise.resolve({ path: basename(path), bytes: readFileSync(join(root, path)) }),
      fields: {},
    })),
  ];

  function applicationOf(folder: string): Application[] {
    const name = folder === '.' ? basename(root) : folder;
    if (charts.includes(folder)) {
      const source = () => archiveOf(filesIn(join(root, folder), basename(folder)), `${basename(folder)}.tgz`);
      return [{ name: `${name} (chart)`, source, fields: {} }];
    }
    if (project.folders.includes(folder))
      return [{ name: `${name} (Kustomization)`, source: () => archiveOf(project.whole(folder)), fields: {} }];
    const own = Object.keys(files).filter((path) => dirname(path) === folder);
    const [compose] = own.filter((path) => COMPOSE.test(basename(path)));
    if (compose) {
      const source = () => archiveOf(filesIn(join(root, folder), '.'));
      return [{ name: `${name} (Compose)`, source, fields: {} }];
    }
    const manifests = own.filter((path) => MANIFEST.test(path) && RESOURCE.test(String(files[path])));
    if (manifests.length === 0) return [];
    const source = () => archiveOf(Object.fromEntries(manifests.map((path) => [path, files[path] as Buffer])));
    return [{ name: `${name} (manifests)`, source, fields: {} }];
  }
}
