import { posix } from 'node:path';
import { type Fault } from '../../../core/errors/app-error.js';
import { isClutter } from '../../../formats/archive-members.js';
import { folderOf, isBelow } from '../../../formats/charts/chart-folders.js';
import { type FaultList } from '../../../formats/fault-list.js';
import { isObject, type LocatedDocument, pointerTo } from '../../../formats/located.js';
import { type SourceFile } from '../../../formats/source-file.js';
import { type FormatInput } from '../format.js';
import { KustomizePlugins } from './kustomize-plugins.js';
import { INFLATORS, isRemote, type Reference, referencesOf, unknownMembers } from './references.js';

const ALONE = 'Send the folder of the Kustomization and everything that it names as one archive.';

interface Node {
  folder: string;
  document: LocatedDocument | undefined;
  references: Reference[];
  isComponent: boolean;
}

/** The Kustomizations of an import, and which of them names which. */
export class KustomizationTree {
  private readonly nodes = new Map<string, Node>();
  private readonly checked = new Set<string>();
  private readonly rewritten = new Map<string, Uint8Array>();
  private readonly plugins: KustomizePlugins;
  private readonly folders: ReadonlySet<string>;

  private constructor(
    private readonly input: FormatInput,
    private readonly faults: FaultList,
  ) {
    this.folders = new Set([...input.files.keys()].map(folderOf));
    this.plugins = new KustomizePlugins(input, faults);
  }

  static async of(input: FormatInput, paths: readonly string[], faults: FaultList): Promise<KustomizationTree> {
    const tree = new KustomizationTree(input, faults);
    for (const path of paths) await tree.add(path);
    return tree;
  }

  /** The folder to render: of those that no other names the only one, or the one on top; the others are told as warnings. */
  root(warnings: Fault[]): string {
    const named = new Set([...this.nodes.values()].flatMap((node) => this.foldersNamedBy(node)));
    const roots = [...this.nodes.values()].filter(({ folder }) => !named.has(folder));
    const whole = roots.filter(({ isComponent }) => !isComponent);
    const folders = (whole.length > 0 ? whole : roots)
      .map(({ folder }) => folder)
      .sort((a, b) => depth(a) - depth(b) || a.localeCompare(b));
    const [first, second] = folders;
    if (first === undefined) {
      const detail = 'has only Kustomizations that name one another in a circle';
      this.faults.add({ file: this.input.name, detail, remedy: 'Take the circle apart.' });
      return '';
    }
    if (second === undefined) return first;
    const others = folders.slice(1, 20).map(shown).join(', ');
    if (depth(first) < depth(second) && this.isOnTop(first)) {
      warnings.push({ file: shown(first), detail: `is rendered; it does not use ${others}, which are left out` });
      return first;
    }
    this.faults.add({
      file: this.input.name,
      detail: `holds ${folders.length} Kustomizations that no other one uses: ${shown(first)}, ${others}`,
      remedy: 'Send an archive with one of them and the bases that it uses.',
    });
    return first;
  }

  /** Whether a folder holds instructions for other Kustomizations, which rarely are something alone. */
  isComponent(folder: string): boolean {
    return this.nodes.get(folder)?.isComponent ?? false;
  }

  /** Looks at everything that the Kustomization in a folder names, and those in turn: nothing may be remote, missing or for a program that is off. */
  async check(folder: string, chain: readonly string[] = []): Promise<void> {
    const node = this.nodes.get(folder);
    if (!node?.document) return;
    const { document } = node;
    if (chain.includes(folder)) {
      const circle = [...chain.slice(chain.indexOf(folder)), folder].map(shown).join(' → ');
      this.faults.add(document.fault('/resources', `names itself: ${circle}`, 'Take the circle apart.'));
      return;
    }
    if (this.checked.has(folder)) return;
    this.checked.add(folder);
    for (const key of unknownMembers(document.object ?? {})) {
      const remedy = 'Remove it, or correct its spelling: upper and lower case count.';
      this.faults.add(document.fault(pointerTo(key), `${key.slice(0, 100)} is no field of a Kustomization`, remedy));
    }
    for (const key of INFLATORS.filter((name) => document.object?.[name] !== undefined)) {
      const remedy = 'Import the chart on its own, or put what it renders to in its place.';
      this.faults.add(document.fault(`/${key}`, `${key} would fetch and run charts, which is off`, remedy));
    }
    for (const reference of node.references) {
      const target = await this.checkReference(node, reference);
      if (target !== undefined) await this.check(target, [...chain, folder]);
    }
    this.rewritten.set(document.file, await this.plugins.rewritten(document));
  }

  /** What the program gets: instructions as they were understood here, so that it cannot understand them in another way. */
  files(): ReadonlyMap<string, SourceFile> {
    const files = [...this.input.files].filter(([path]) => !isClutter(path));
    return new Map(
      files.map(([path, file]) => [path, { path: file.path, bytes: this.rewritten.get(file.path) ?? file.bytes }]),
    );
  }

  /** The folder of the Kustomization that a reference leads to, when it leads to one. */
  private async checkReference(node: Node, { path, pointer, kind }: Reference): Promise<string | undefined> {
    const fault = (detail: string, remedy: string): void => {
      if (node.document) this.faults.add(node.document.fault(pointer, `${path.slice(0, 200)} ${detail}`, remedy));
    };
    const found = posix.join(node.folder, path).replace(/\/$/, '');
    const folder = found === '.' ? '' : found;
    if (isRemote(path)) {
      fault('is remote, and nothing is fetched', 'Put a copy of it into the archive, and name that.');
    } else if (path.startsWith('/') || folder.startsWith('..')) {
      fault('lies outside of the import', ALONE);
    } else if (kind === 'plugin' && this.folders.has(folder)) {
      fault('is a folder', 'Name the files of the plugins in it.');
    } else if (this.nodes.has(folder) && kind === 'base') {
      return folder;
    } else if (!this.input.files.has(found)) {
      if (this.folders.has(folder) && kind !== 'file')
        fault('has no Kustomization in it', 'Name the files in it one by one.');
      else fault('is not part of the import', ALONE);
    } else if (!isBelow(found, node.folder)) {
      fault('lies outside of the folder of its Kustomization', 'Move it there, or make its folder a base.');
    } else if (kind === 'plugin') {
      const file = this.input.files.get(found);
      if (file) this.rewritten.set(file.path, Buffer.from(await this.plugins.checked(file)));
    }
    return undefined;
  }

  private async add(path: string): Promise<void> {
    const documents = await this.input.documents(path).catch((error: unknown) => this.faults.collect(error));
    const [document, ...more] = documents;
    for (const extra of more) this.faults.add(extra.fault('', 'a Kustomization is one document'));
    if (document && !isObject(document.value)) this.faults.add(document.fault('', 'must be a mapping'));
    const folder = folderOf(path);
    if (this.nodes.has(folder)) this.faults.add({ file: path, detail: 'is the second Kustomization of its folder' });
    this.nodes.set(folder, {
      folder,
      document,
      references: document?.object ? referencesOf(document.object) : [],
      isComponent: document?.object?.['kind'] === 'Component',
    });
  }

  private foldersNamedBy({ folder, references }: Node): string[] {
    const named = references.filter(({ kind, path }) => kind !== 'file' && !isRemote(path));
    return named.map(({ path }) => folderOf(posix.join(folder, path, 'kustomization.yaml')));
  }

  /** On top of the archive, or of the only folder there. */
  private isOnTop(folder: string): boolean {
    return folder === '' || (!folder.includes('/') && [...this.input.files.keys()].every((p) => isBelow(p, folder)));
  }
}

function depth(folder: string): number {
  return folder === '' ? 0 : folder.split('/').length;
}

function shown(folder: string): string {
  return folder === '' ? 'the top folder' : folder;
}
