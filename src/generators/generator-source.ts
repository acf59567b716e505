import { Buffer } from 'node:buffer';
import { AppError } from '../core/errors/app-error.js';
import { isTextFile } from '../formats/archives/archive-members.js';
import { parseDocuments } from '../formats/documents/parse-documents.js';
import { type FormatLimits } from '../formats/sources/format-limits.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import { type SourceFile } from '../formats/sources/source-file.js';
import { type YamlDialect } from '../formats/documents/yaml-scalar.js';

/** The input of a generator: one file, or the members of an archive. Each file is parsed once. */
export class GeneratorSource {
  private readonly parsed = new Map<string, LocatedDocument[] | AppError>();
  readonly limits: FormatLimits;

  /**
   * @param name of the upload, or the URL, for faults
   * @param dialect of all files; by default YAML 1.1 for definitions, as in kubectl, and YAML 1.2 for others
   */
  constructor(
    readonly name: string,
    readonly archive: boolean,
    readonly files: readonly SourceFile[],
    limits: FormatLimits,
    private readonly dialect?: YamlDialect,
  ) {
    // Bounds and examples in schemas may have more digits than a double; the nearest double suffices.
    this.limits = { ...limits, roundNumbers: true };
  }

  /** The files that may be YAML or JSON: a single file with any name, or the files of an archive by their suffix. */
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

  /** As `documents`, but returns the error instead of throwing it. */
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
