import { type Fault } from '../../core/errors/app-error.js';
import { type DesignFile } from '../../formats/design-file/design-file.js';
import { type FormatLimits } from '../../formats/sources/format-limits.js';
import type { JsonObject } from '../../core/json/json.js';
import type { LocatedDocument } from '../../formats/documents/located-document.js';
import { type LocalRenderEngines } from '../../formats/engines/local-render-engines.js';
import type { RenderEngines } from '../../formats/engines/render-engines.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { type YamlDialect } from '../../formats/documents/yaml-scalar.js';
import type { ChartDestination } from '../../formats/helm/helm.js';
import { type SourceType } from './source-type.js';

/** The input of an import: one file, or the members of an archive. */
export interface FormatInput {
  /** The file name of the upload. */
  readonly name: string;
  readonly archive: boolean;
  /** By path with `/`; one entry unless it is an archive. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** The chosen member or folder; empty for the whole archive. */
  readonly chosenPath: string;
  /** Whether a member or a folder is the chosen one, or lies within it. */
  isChosen(path: string): boolean;
  /**
   * The documents of one file (default: the only one) without empty ones. Large files are parsed in a worker, each once per dialect.
   * Throws InvalidRequest with every syntax fault of the file.
   */
  documents(path?: string, dialect?: YamlDialect): Promise<LocatedDocument[]>;
  /** As `documents`, for text that is not a member of the input: values from the request, or rendered output. */
  parse(file: SourceFile, dialect?: YamlDialect): Promise<LocatedDocument[]>;
}

/** The release name and namespace of a chart; its templates may read both. */
export interface Release {
  name: string;
  namespace: string;
}

/** The options of an import; a format uses those it knows and ignores the rest. */
export interface ImportOptions {
  /** Name of the design; by default derived from the content or the file name. */
  name?: string;
  /** Helm values: YAML text, or data. */
  values?: string | Record<string, unknown>;
  /** Default Helm values: objects are merged, and otherwise `values` takes precedence, as with several files of values. */
  valuesBelow?: JsonObject;
  /** For charts; by default named after the design, in the namespace `default`. */
  release?: Partial<Release>;
  /** The history of the release of a chart where it is rendered for; without it a chart sees the cluster that is built into Helm. */
  destination?: ChartDestination;
  /** The chosen member or folder of an archive; by default the format finds it. */
  path?: string;
  /** Variables for Compose interpolation, with precedence over those of `.env`. */
  env?: Readonly<Record<string, string>>;
  /** Active Compose profiles. */
  profiles?: readonly string[];
  limits?: Partial<FormatLimits>;
  /** Without them charts and Kustomizations are refused. */
  programs?: RenderEngines;
}

export interface ImportedDesign {
  name: string;
  design: DesignFile;
  sourceType: SourceType;
  /** Warnings about what was imported, located like faults. */
  warnings: Fault[];
}

/** A format of designs. All formats are listed in detect.ts, in the order of detection. */
export interface Format {
  readonly sourceType: SourceType;
  /** With the dot: `.yaml`. Each of them can be imported. */
  readonly extensions: readonly string[];
  readonly description: string;
  /** False when a required program is missing. */
  available(programs: LocalRenderEngines): boolean | Promise<boolean>;
  /** Whether the content is meant as this format, even when it is faulty. Documents with syntax faults are thrown by `documents`. */
  detect(input: FormatInput): boolean | Promise<boolean>;
  /** Throws InvalidRequest with one located fault for each error. */
  read(input: FormatInput, options: ImportOptions): Promise<ImportedDesign>;
}
