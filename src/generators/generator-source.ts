import { Buffer } from 'node:buffer';
import { AppError } from '../core/errors/app-error.js';
import { isTextFile } from '../formats/archives/archive-members.js';
import { parseDocuments } from '../formats/documents/parse-documents.js';
import { type FormatLimits } from '../formats/sources/format-limits.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import { type SourceFile } from '../formats/sources/source-file.js';
import { type YamlDialect } from '../formats/documents/yaml-scalar.js';

/** What a generator works on: one file, or the members of an archive. Parses each file once, however many ask. */
export class GeneratorSource {
  private readonly parsed = new Map<string, LocatedDocument[] | AppError>();
  readonly limits: FormatLimits;

  /**
   * @param name of the upload or the address, as faults show it
   * @param dialect of all files; otherwise definitions are read as a cluster reads them, by YAML 1.1, and all else as YAML 1.2
   */
  constructor(
    readonly name: string,
    readonly archive: boolean,
    readonly files: readonly SourceFile[],
    limits: FormatLimits,
    private readonly dialect?: YamlDialect,
  ) {
    // Bounds and examples of schemas have more digits than a double; the nearest one is good enough there.
    this.limits = { ...limits, roundNumbers: true };
  }

  /** The files that may be YAML or JSON: the only one whatever its name, or those of an archive with such a name. */
  get textFiles(): SourceFile[] {
    if (!this.archive) return [...this.files];
    return this.files.filter(({ path }) => isTextFile(path));
  }

  /** The documents of a file without empty ones. Throws InvalidRequest with every syntax fault. */
  documents(file: SourceFile): LocatedDocument[] {
    const known = this.parsed.get(file.path) ?? this.parse(file);
    this.parsed.set(file.path, known);
    if (known instanceof AppError) throw known;
    return known;
  }

  /** As documents, with the failure as a value. */
  tryDocuments(file: SourceFile): LocatedDocument[] | AppError {
    try {
      return this.documents(file);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  private parse(file: SourceFile): LocatedDocument[] | AppError {
    try {
      const { buffer, byteOffset, length } = file.bytes;
      const forCluster = Buffer.from(buffer, byteOffset, length).includes('CustomResourceDefinition');
      return parseDocuments(file, this.dialect ?? (forCluster ? 'kubernetes' : 'core'), this.limits);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
}
