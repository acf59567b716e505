import { type Fault } from '../core/errors/app-error.js';
import {
  type DefinitionFault,
  type ModelContent,
  type RegistrantDefinition,
} from '../formats/definitions/definitions.js';
import { type GeneratorSource } from './generator-source.js';

/** What a source can be found to be; a cluster is no file and has a function of its own. */
export type SourceKind = 'crd' | 'openapi' | 'helm';

/** What the caller says about the models that are to come out. */
export interface GeneratorConfig {
  /** Name of the target model, as it shall be; otherwise the content gives it. */
  model?: string;
  /** Version of the target model; otherwise the content gives it, or it is `v1.0.0`. */
  version?: string;
  /** By name or slug; otherwise the content gives it, or the kind of source. */
  category?: string;
  /** Who published the models; this server by default. */
  registrant?: RegistrantDefinition;
  /** Where the source came from, kept with each component. */
  sourceUri?: string;
}

/** What came out of a source; what is in `contents` is sound, whatever else is listed. */
export interface GenerationResult {
  contents: ModelContent[];
  /** What was not taken, located. */
  faults: DefinitionFault[];
  /** What was taken but deserves a word. */
  warnings: Fault[];
}

/** One way to make models of a source. Works at once and on this thread: go through generateModels for foreign input. */
export interface Generator {
  readonly kind: SourceKind;
  readonly description: string;
  /** Whether the content claims to be of this kind, even when it is faulty. */
  detect(source: GeneratorSource): boolean;
  /** @param rendered the rendered templates of a chart, when they are available */
  generate(
    source: GeneratorSource,
    config: GeneratorConfig,
    rendered?: string,
  ): GenerationResult | Promise<GenerationResult>;
}
