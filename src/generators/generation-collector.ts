import { type AppError, type Fault, MAX_FAULTS } from '../core/errors/app-error.js';
import { moreFaultsText } from '../core/errors/problem.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import {
  type ComponentDefinition,
  type DefinitionFault,
  type ModelDefinition,
} from '../formats/definitions/definitions.js';
import { type GenerationResult } from './generator.js';

/** The maximum characters of the schema of one component; the largest real ones have about a million. */
export const MAX_SCHEMA_LENGTH = 4_000_000;
/** The maximum characters of all schemas of one source. */
const MAX_TOTAL_LENGTH = 50_000_000;
const MAX_COMPONENTS = 10_000;

/** A location in a document. */
export interface DocumentPointer {
  document: LocatedDocument;
  pointer: string;
}

/** Collects models, components, faults and warnings, within limits. */
export class GenerationCollector {
  private readonly models = new Map<string, { model: ModelDefinition; components: Map<string, ComponentDefinition> }>();
  private readonly faults: DefinitionFault[] = [];
  private readonly warnings: Fault[] = [];
  private faultsLeft = 0;
  private warningsLeft = 0;
  private characters = 0;
  private count = 0;

  /** Adds a component to a model. An equal component is ignored; a different one with the same kind and version is a fault. */
  add(model: ModelDefinition, component: ComponentDefinition, place: DocumentPointer): void {
    const { kind, apiVersion, schema } = component;
    if (!this.hasRoom(place)) return;
    this.characters += schema.length;
    if (schema.length > MAX_SCHEMA_LENGTH) {
      const detail = `the schema of ${kind}, with all that it refers to, is longer than ${MAX_SCHEMA_LENGTH} characters`;
      return this.addFault('component', place, detail, 'Describe it with fewer or smaller schemas.');
    }
    const components = this.getComponents(model);
    const key = JSON.stringify([apiVersion, kind]);
    const known = components.get(key);
    if (!known) {
      this.count += 1;
      components.set(key, component);
    } else if (known.schema !== schema) {
      const detail = `${kind} of ${apiVersion} is given twice, with different schemas`;
      this.addFault('component', place, detail, 'Keep one of the two.');
    }
  }

  /** Whether another component is within the limits; otherwise adds a fault. Call it before generating a schema, which takes time. */
  hasRoom(place: DocumentPointer): boolean {
    if (this.count < MAX_COMPONENTS && this.characters < MAX_TOTAL_LENGTH) return true;
    const detail = `is beyond what one source may hold: ${MAX_COMPONENTS} components, ${MAX_TOTAL_LENGTH} characters of schemas`;
    this.addFault('component', place, detail, 'Split the source.');
    return false;
  }

  /** Adds a fault with its position. Faults beyond the limit are only counted, because finding positions takes time. */
  addFault(entity: DefinitionFault['entity'], place: DocumentPointer, detail: string, remedy?: string): void {
    if (this.faults.length >= MAX_FAULTS) this.faultsLeft += 1;
    else
      this.faults.push({ entity, path: place.document.file, ...place.document.faultAt(place.pointer, detail, remedy) });
  }

  addWarning(place: DocumentPointer, detail: string, remedy?: string): void {
    if (this.warnings.length >= MAX_FAULTS) this.warningsLeft += 1;
    else this.warnings.push(place.document.faultAt(place.pointer, detail, remedy));
  }

  /** Adds a warning about a whole file. */
  addFileWarning(file: string, detail: string, remedy?: string): void {
    if (this.warnings.length >= MAX_FAULTS) this.warningsLeft += 1;
    else this.warnings.push({ file, detail, ...(remedy === undefined ? {} : { remedy }) });
  }

  /** Adds the faults of a file that could not be read or contains nothing valid. */
  rejectFile(path: string, reason: AppError | Fault): void {
    const listed = 'errors' in reason ? reason.errors : [reason];
    const { detail, remedy } = 'errors' in reason ? { detail: reason.message, remedy: reason.remedy } : reason;
    const faults = listed.length > 0 ? listed : [{ detail, ...(remedy === undefined ? {} : { remedy }) }];
    for (const fault of faults) {
      if (this.faults.length >= MAX_FAULTS) this.faultsLeft += 1;
      else this.faults.push({ entity: 'file', path, file: path, ...fault });
    }
  }

  /** The result, with models in the order of their first component. `name` of the source is the file of faults without one. */
  build(name: string): GenerationResult {
    const { faults, warnings, faultsLeft, warningsLeft } = this;
    if (faultsLeft > 0) faults.splice(-1, 1, { entity: 'file', path: name, detail: moreFaultsText(faultsLeft + 1) });
    if (warningsLeft > 0) warnings.splice(-1, 1, { detail: `${warningsLeft + 1} more warnings are not listed` });
    const contents = [...this.models.values()]
      .filter(({ components }) => components.size > 0)
      .map(({ model, components }) => ({ model, components: [...components.values()], relationships: [] }));
    return { contents, faults, warnings };
  }

  private getComponents(model: ModelDefinition): Map<string, ComponentDefinition> {
    const key = JSON.stringify([model.name, model.version]);
    const known = this.models.get(key);
    if (known) return known.components;
    const components = new Map<string, ComponentDefinition>();
    this.models.set(key, { model, components });
    return components;
  }
}
