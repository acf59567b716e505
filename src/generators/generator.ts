import { type Fault } from '../core/errors/app-error.js';
import {
  type DefinitionFault,
  type ModelContent,
  type RegistrantDefinition,
} from '../formats/definitions/definitions.js';
import { type GeneratorSource } from './generator-source.js';

/** The types of sources that are files; clusters have a separate function, generateClusterModels. */
export type SourceKind = 'crd' | 'openapi' | 'helm';

/** Properties of the generated models that take precedence over the content of the source. */
export interface GeneratorConfig {
  /** Name of the model; by default from the content. */
  model?: string;
  /** Version of the model; by default from the content, or `v1.0.0`. */
  version?: string;
  /** Name or slug; by default from the content or the type of source. */
  category?: string;
  /** The publisher of the models; by default this server. */
  registrant?: RegistrantDefinition;
  /** URL of the source, stored in each component. */
  sourceUri?: string;
}

/** The result of a generation; `contents` has only valid definitions. */
export interface GenerationResult {
  contents: ModelContent[];
  /** The faults of rejected parts, with positions. */
  faults: DefinitionFault[];
  /** Warnings about accepted parts. */
  warnings: Fault[];
}

/** Generates models from one type of source. Synchronous, on this thread: use generateModels for untrusted input. */
export interface Generator {
  readonly kind: SourceKind;
  readonly description: string;
  /** Whether the content is of this type, even if it is invalid. */
  detect(source: GeneratorSource): boolean;
  /** @param rendered the rendered templates of a chart, if available */
  generate(
    source: GeneratorSource,
    config: GeneratorConfig,
    rendered?: string,
  ): GenerationResult | Promise<GenerationResult>;
}
