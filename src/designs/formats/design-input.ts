import { posix } from 'node:path';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { detectArchiveKind, archiveKindFromName, unpackArchive } from '../../formats/archives/archive.js';
import { isTextFile } from '../../formats/archives/archive-members.js';
import { isInFolder } from '../../formats/helm/chart-folders.js';
import { type DocumentReader } from '../../formats/documents/document-reader.js';
import type { LocatedDocument } from '../../formats/documents/located-document.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { type YamlDialect } from '../../formats/documents/yaml-scalar.js';
import { listContents } from './archive-listing.js';
import { type FormatInput } from './format.js';
import { trimTextEnd } from '../../core/trim-text.js';

/** An upload as input of the formats; parses each file once per dialect, however many formats read it. */
export class DesignInput implements FormatInput {
  private readonly parsed = new Map<string, Promise<LocatedDocument[]>>();

  private constructor(
    readonly name: string,
    readonly archive: boolean,
    readonly files: ReadonlyMap<string, SourceFile>,
    readonly chosenPath: string,
    private readonly reader: DocumentReader,
  ) {}

  /**
   * Unpacks archives, which are recognized by their first bytes.
   * @param path the chosen member or folder of an archive
   * @throws InvalidRequest when it cannot be unpacked, or has no such member
   */
  static async fromFile(file: SourceFile, reader: DocumentReader, path = ''): Promise<DesignInput> {
    if (file.bytes.length === 0) {
      throw new InvalidRequest(`${file.path} is empty`, {
        errors: [{ file: file.path, detail: 'is empty', remedy: 'Send a file with content.' }],
      });
    }
    const archive = detectArchiveKind(file.bytes) !== undefined || archiveKindFromName(file.path) !== undefined;
    const files = archive ? await unpackArchive(file, reader.limits) : new Map([[file.path, file]]);
    const chosen = path === '' ? '' : resolveMember(file.path, archive ? files : undefined, path);
    return new DesignInput(file.path, archive, files, chosen, reader);
  }

  isChosen(path: string): boolean {
    return path === this.chosenPath || isInFolder(path, this.chosenPath);
  }

  documents(path?: string, dialect: YamlDialect = 'kubernetes'): Promise<LocatedDocument[]> {
    const file = path === undefined ? [...this.files.values()][0] : this.files.get(path);
    if (!file) return Promise.resolve([]);
    const key = `${dialect}:${file.path}`;
    const documents = this.parsed.get(key) ?? this.reader.parse(file, dialect);
    this.parsed.set(key, documents);
    return documents;
  }

  parse(file: SourceFile, dialect: YamlDialect = 'kubernetes'): Promise<LocatedDocument[]> {
    return this.reader.parse(file, dialect);
  }
}

/**
 * The files that may be YAML or JSON: the only one, or those of an archive with such a name, except hidden files and files outside
 * the chosen path.
 */
export function findTextFiles(input: FormatInput): string[] {
  const paths = [...input.files.keys()];
  if (!input.archive) return paths;
  return paths.filter((path) => path === input.chosenPath || (isTextFile(path) && input.isChosen(path)));
}

/** The member or folder of an archive by its path from the top, or from the only folder at the top. */
function resolveMember(name: string, files: FormatInput['files'] | undefined, path: string): string {
  if (!files) throw InvalidRequest.forField('/path', `is for archives, and ${name} is a single file`, 'Leave it out.');
  const paths = [...files.keys()];
  const [top = '', ...others] = new Set(paths.map((each) => each.split('/')[0] ?? ''));
  const wanted = posix.normalize(trimTextEnd(path.replace(/^(?:\.?\/)+/, ''), /\//));
  const candidates = others.length === 0 ? [wanted, posix.join(top, wanted)] : [wanted];
  const found = candidates.find((each) => paths.some((member) => member === each || isInFolder(member, each)));
  if (found !== undefined && found !== '' && !found.startsWith('.')) return found;
  throw InvalidRequest.forField('/path', `names nothing in ${name}`, `The archive holds: ${listContents(paths)}.`);
}

/** The design name derived from a file name: `shop.prod.yaml` → `shop.prod`, `chart-1.0.tar.gz` → `chart-1.0`. */
export function designNameOf(path: string): string {
  const file = path.split(/[/\\]/).at(-1) ?? '';
  const name = file.replace(/\.(?:ya?ml|json|tar\.gz|tgz|tar|zip)$/i, '').trim();
  return (name || 'design').slice(0, 255);
}
