import { posix } from 'node:path';
import { type Fault, InvalidRequest } from '../../../core/errors/app-error.js';
import { type FaultList } from '../../../formats/sources/fault-list.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { type FormatInput } from '../format.js';
import { parseDotenv } from './dotenv.js';
import { ComposeDocument } from './compose-document.js';
import { resolveInArchive } from './paths.js';

export type ReportFault = (detail: string, remedy?: string) => void;

/** The files of one import, for the parts of a Compose project that need them. */
export class ComposeFiles {
  private readonly read = new Map<string, Promise<ComposeDocument[]>>();
  private readonly layers: ComposeDocument[] = [];

  /** `root`: the project directory, where relative paths start. */
  constructor(
    private readonly input: FormatInput,
    readonly root: string,
    readonly faults: FaultList,
    readonly warnings: FaultList,
    /** The sources of variables, for messages: `.env, line 3`. */
    private readonly origins = new Map<string, string>(),
  ) {}

  /** A file by its path from the project directory. */
  file(path: string): SourceFile | undefined {
    const found = resolveInArchive(this.root, path);
    return found === undefined ? undefined : this.input.files.get(found);
  }

  /** The files below a folder, by their path from there. */
  directory(path: string): Map<string, SourceFile> {
    const found = resolveInArchive(this.root, path);
    if (found === undefined || !this.input.archive) return new Map();
    const start = found === '' || found === '.' ? '' : `${found}/`;
    const below = [...this.input.files].filter(([name]) => name.startsWith(start) && name !== start);
    return new Map(below.map(([name, file]) => [name.slice(start.length), file]));
  }

  /** Paths relative to a folder, as paths of the archive; missing ones are reported and left out. */
  existing(paths: readonly string[], from: string, report: ReportFault): string[] {
    return paths.flatMap((path) => {
      const found = resolveInArchive(from, path);
      if (found !== undefined && this.input.files.has(found)) return [found];
      const shown = path.slice(0, 200);
      const missing =
        found === undefined ? 'lies outside of the import, and is not fetched' : 'is not part of the import';
      report(`${shown} ${missing}`, 'Import an archive that holds both files.');
      return [];
    });
  }

  /** The variables of the `.env` files that exist; variables from outside take precedence inside their expressions. */
  variables(paths: readonly string[], inherited: ReadonlyMap<string, string>): Map<string, string> {
    const found = new Map<string, string>();
    for (const path of paths) {
      const source = this.input.files.get(path);
      if (!source) continue;
      const { values, lines, faults } = parseDotenv(source, { inherited });
      this.faults.add(...faults);
      for (const [name, value] of values) found.set(name, value);
      for (const [name, line] of lines) if (!inherited.has(name)) this.origins.set(name, `${path}, line ${line}`);
    }
    return found;
  }

  /** The documents of a file of the archive; faults are collected, and a file is read once for each base directory of its paths. */
  documents(path: string, directory: string, variables: ReadonlyMap<string, string>): Promise<ComposeDocument[]> {
    const key = `${directory}#${path}`;
    const known = this.read.get(key);
    if (known) return known;
    const reading = this.parse(path, directory, variables);
    this.read.set(key, reading);
    return reading;
  }

  /** A fault at the location that matches most of a pointer into the resolved project. */
  locate(pointer: string, detail: string, remedy?: string): Fault {
    let best: ComposeDocument | undefined;
    for (const layer of this.layers) {
      if (best === undefined || layer.depthOf(pointer) > best.depthOf(pointer)) best = layer;
    }
    return best?.fault(pointer, detail, remedy) ?? { pointer, detail, ...(remedy === undefined ? {} : { remedy }) };
  }

  private async parse(
    path: string,
    directory: string,
    variables: ReadonlyMap<string, string>,
  ): Promise<ComposeDocument[]> {
    const { root, faults, warnings, origins } = this;
    try {
      const documents = await this.input.documents(path, 'core');
      const source = this.input.files.get(path);
      const options = { source, directory: posix.relative(root, directory), variables, origins, faults, warnings };
      const layers = documents.map((document) => new ComposeDocument(document, options));
      this.layers.push(...layers);
      return layers;
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      faults.add(...error.errors);
      return [];
    }
  }
}
