import { posix } from 'node:path';
import { type Fault } from '../../../core/errors/app-error.js';
import { parentFolder, isInFolder } from '../../../formats/helm/chart-folders.js';
import { type FaultList } from '../../../formats/sources/fault-list.js';
import { isObject } from '../../../core/json/json.js';
import type { LocatedDocument } from '../../../formats/documents/located-document.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { listPaths, toFolderName } from '../archive-listing.js';
import { type FormatInput } from '../format.js';
import { KUSTOMIZATION_FIELDS } from './allowed-fields.js';
import { InstructionChecker } from './instruction-checker.js';
import { isRemote, ReferenceCollector } from './reference-collector.js';

/** The maximum length of a chain of bases. */
const MAX_BASES = 50;

interface Node {
  folder: string;
  path: string;
  document: LocatedDocument | undefined;
  /** Paths of possible bases. */
  bases: string[];
  isComponent: boolean;
}

/** The Kustomizations of an import, and their references to each other. */
export class KustomizationTree {
  private readonly nodes = new Map<string, Node>();
  private readonly checked = new Set<string>();
  private readonly instructions: InstructionChecker;

  private constructor(
    private readonly input: FormatInput,
    private readonly faults: FaultList,
  ) {
    this.instructions = new InstructionChecker(input, faults, (folder) => this.nodes.has(folder));
  }

  static async build(input: FormatInput, paths: readonly string[], faults: FaultList): Promise<KustomizationTree> {
    const tree = new KustomizationTree(input, faults);
    for (const path of paths) await tree.add(path);
    return tree;
  }

  /** The folder to render: the only one that no other references, or the one at the top; warnings name the others. */
  findRoot(warnings: Fault[]): string {
    const { chosenPath } = this.input;
    if (chosenPath !== '' && this.nodes.has(chosenPath)) return chosenPath;
    const chosen = [...this.nodes.values()].filter(({ path }) => this.input.isChosen(path));
    const named = new Set(chosen.flatMap((node) => this.foldersNamedBy(node)));
    const roots = chosen.filter(({ folder }) => !named.has(folder));
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
    const others = listPaths(folders.slice(1).map(toFolderName));
    if (depth(first) < depth(second) && this.isOnTop(first)) {
      warnings.push({
        file: toFolderName(first),
        detail: `is rendered; it does not use ${others}, which are left out`,
        remedy: 'Choose another one with the field path.',
      });
      return first;
    }
    this.faults.add({
      file: this.input.name,
      detail: `holds ${folders.length} Kustomizations that no other one uses: ${toFolderName(first)}, ${others}`,
      remedy: `Choose one with the field path, such as ${folders.find((folder) => folder !== '') ?? ''}.`,
    });
    return first;
  }

  /** Whether a folder is a Component, which is rarely useful alone. */
  isComponent(folder: string): boolean {
    return this.nodes.get(folder)?.isComponent ?? false;
  }

  /** Checks the Kustomization in a folder, everything that it references, and its bases recursively. */
  async check(folder: string, chain: readonly string[] = []): Promise<void> {
    const node = this.nodes.get(folder);
    if (!node?.document) return;
    const { path, document } = node;
    if (chain.includes(folder)) {
      const circle = [...chain.slice(chain.indexOf(folder)), folder].map(toFolderName).join(' → ');
      this.faults.add(document.faultAt('/resources', `names itself: ${circle}`, 'Take the circle apart.'));
      return;
    }
    if (this.checked.has(folder)) return;
    this.checked.add(folder);
    if (chain.length > MAX_BASES) {
      const remedy = 'Name the lower bases directly.';
      this.faults.add(document.faultAt('', `lies below more than ${MAX_BASES} other Kustomizations`, remedy));
      return;
    }
    for (const base of await this.instructions.checkKustomization(path, document)) {
      await this.check(base, [...chain, folder]);
    }
  }

  /** The folders of the bases of a Kustomization, nearest first. Components are excluded, because they only modify others. */
  basesOf(folder: string, found = new Set<string>()): string[] {
    const node = this.nodes.get(folder);
    const named = (node ? this.foldersNamedBy(node) : []).filter((base) => {
      const isNew = base !== folder && !found.has(base) && this.nodes.has(base) && !this.isComponent(base);
      if (isNew) found.add(base);
      return isNew;
    });
    return [...named, ...named.flatMap((base) => this.basesOf(base, found))];
  }

  /** The files that the program receives. */
  files(): ReadonlyMap<string, SourceFile> {
    return this.instructions.accepted;
  }

  private async add(path: string): Promise<void> {
    const documents = await this.input.documents(path).catch((error: unknown) => this.faults.addFrom(error));
    const [document, ...more] = documents;
    for (const extra of more) this.faults.add(extra.faultAt('', 'a Kustomization is one document'));
    if (document && !isObject(document.value)) this.faults.add(document.faultAt('', 'must be a mapping'));
    const folder = parentFolder(path);
    if (this.nodes.has(folder)) this.faults.add({ file: path, detail: 'is the second Kustomization of its folder' });
    const { references } = new ReferenceCollector(document?.object ?? {}, KUSTOMIZATION_FIELDS, 'a Kustomization');
    this.nodes.set(folder, {
      folder,
      path,
      document,
      bases: references.flatMap(({ kind, text }) => (kind === 'base' && !isRemote(text) ? [text] : [])),
      isComponent: document?.object?.['kind'] === 'Component',
    });
  }

  private foldersNamedBy({ folder, bases }: Node): string[] {
    return bases.map((path) => parentFolder(posix.join(folder, path, 'kustomization.yaml')));
  }

  /** At the top of the archive, or in the only folder there. */
  private isOnTop(folder: string): boolean {
    return folder === '' || (!folder.includes('/') && [...this.input.files.keys()].every((p) => isInFolder(p, folder)));
  }
}

function depth(folder: string): number {
  return folder === '' ? 0 : folder.split('/').length;
}
