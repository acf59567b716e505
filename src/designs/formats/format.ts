import { type Fault } from '../../core/errors/app-error.js';
import { type DesignFile } from '../../formats/design-file/design-file.js';
import { type FormatLimits } from '../../formats/sources/format-limits.js';
import type { JsonObject } from '../../core/json/json.js';
import type { LocatedDocument } from '../../formats/documents/located-document.js';
import { type LocalRenderEngines } from '../../formats/engines/local-render-engines.js';
import type { RenderEngines } from '../../formats/engines/render-engines.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { type YamlDialect } from '../../formats/documents/yaml-scalar.js';
import { type SourceType } from './source-type.js';

/** What is to be imported: one file, or the members of an archive. */
export interface FormatInput {
  /** Name of the upload, as the caller gave it. */
  readonly name: string;
  readonly archive: boolean;
  /** By path with `/`; one entry unless it is an archive. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** The member or the folder that the caller chose; empty for the whole archive. */
  readonly chosenPath: string;
  /** Whether a member or a folder is what the caller chose, or lies within it. */
  isChosen(path: string): boolean;
  /**
   * The documents of one file (default: the only one), empty ones left out. Large files are parsed in a worker, and each once for a dialect.
   * Throws InvalidRequest with every syntax fault of the file.
   */
  documents(path?: string, dialect?: YamlDialect): Promise<LocatedDocument[]>;
  /** The same for text that is no member of the input: values of the caller, what a program rendered. */
  parse(file: SourceFile, dialect?: YamlDialect): Promise<LocatedDocument[]>;
}

/** Under which name and where a chart is installed; its templates may ask for both. */
export interface Release {
  name: string;
  namespace: string;
}

/** What the caller may say about an import; a format takes what it knows and ignores the rest. */
export interface ImportOptions {
  /** Name of the design; otherwise the content or the file name gives it. */
  name?: string;
  /** Helm values: YAML text, or data. */
  values?: string | Record<string, unknown>;
  /** Helm values below those: objects are merged, and of all else `values` wins, as of several files of values. */
  valuesBelow?: JsonObject;
  /** Of a chart; otherwise named after the design, in the namespace `default`. */
  release?: Partial<Release>;
  /** The member or the folder of an archive that is meant; otherwise the format finds it. */
  path?: string;
  /** Variables for Compose interpolation, before those of `.env`. */
  env?: Readonly<Record<string, string>>;
  /** Compose profiles that are on. */
  profiles?: readonly string[];
  limits?: Partial<FormatLimits>;
  /** Without them charts and Kustomizations are refused. */
  programs?: RenderEngines;
}

export interface ImportedDesign {
  name: string;
  design: DesignFile;
  sourceType: SourceType;
  /** What was taken but deserves a word, located like faults. */
  warnings: Fault[];
}

/** One way to write a design down. The list of all of them stands in detect.ts, in the order in which they are asked. */
export interface Format {
  readonly sourceType: SourceType;
  /** With the dot: `.yaml`. Every one of them really imports. */
  readonly extensions: readonly string[];
  readonly description: string;
  /** False when a program that it needs is missing. */
  available(programs: LocalRenderEngines): boolean | Promise<boolean>;
  /** Whether the content claims to be of this format, even when it is faulty. Documents with syntax faults are thrown by `documents`. */
  detect(input: FormatInput): boolean | Promise<boolean>;
  /** Throws InvalidRequest with one located fault for each thing that is wrong. */
  read(input: FormatInput, options: ImportOptions): Promise<ImportedDesign>;
}
