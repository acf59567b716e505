import { type AppError, type Fault } from '../../core/errors/app-error.js';
import { type LocatedDocument } from '../../formats/located.js';
import { type ComponentDefinition, type DefinitionFault, type ModelDefinition } from '../definition.js';
import { type Generated } from './generator.js';

/** Characters of the schema of one component; the largest in the field have about a million. */
export const LONGEST_SCHEMA = 4_000_000;
/** Characters of the schemas of all components of one source. */
const LONGEST_TOTAL = 50_000_000;
const MOST_COMPONENTS = 10_000;
const MOST_FAULTS = 100;

/** Where in a document something stands. */
export interface Place {
  document: LocatedDocument;
  pointer: string;
}

/** What has been generated so far, and the rules for what may be. */
export class Contents {
  private readonly models = new Map<string, { model: ModelDefinition; components: Map<string, ComponentDefinition> }>();
  private readonly faults: DefinitionFault[] = [];
  private readonly warnings: Fault[] = [];
  private faultsLeft = 0;
  private warningsLeft = 0;
  private characters = 0;
  private count = 0;

  /** Adds a component to a model; the same one a second time changes nothing, another one of that kind and version is a fault. */
  add(model: ModelDefinition, component: ComponentDefinition, place: Place): void {
    const { kind, apiVersion, schema } = component;
    if (!this.hasRoom(place)) return;
    this.characters += schema.length;
    if (schema.length > LONGEST_SCHEMA) {
      const detail = `the schema of ${kind}, with all that it refers to, is longer than ${LONGEST_SCHEMA} characters`;
      return this.fault('component', place, detail, 'Describe it with fewer or smaller schemas.');
    }
    const components = this.componentsOf(model);
    const key = JSON.stringify([apiVersion, kind]);
    const known = components.get(key);
    if (!known) {
      this.count += 1;
      components.set(key, component);
    } else if (known.schema !== schema) {
      const detail = `${kind} of ${apiVersion} is given twice, with different schemas`;
      this.fault('component', place, detail, 'Keep one of the two.');
    }
  }

  /** Whether there is room for one more component; when there is none, that is a fault. Ask before making a schema, which is what takes time. */
  hasRoom(place: Place): boolean {
    if (this.count < MOST_COMPONENTS && this.characters < LONGEST_TOTAL) return true;
    const detail = `is beyond what one source may hold: ${MOST_COMPONENTS} components, ${LONGEST_TOTAL} characters of schemas`; // prettier-ignore
    this.fault('component', place, detail, 'Split the source.');
    return false;
  }

  /** A located fault; past the first hundred they are only counted, since finding a place in a large document takes time. */
  fault(entity: DefinitionFault['entity'], place: Place, detail: string, remedy?: string): void {
    if (this.faults.length >= MOST_FAULTS) this.faultsLeft += 1;
    else
      this.faults.push({ entity, path: place.document.file, ...place.document.fault(place.pointer, detail, remedy) });
  }

  warn(place: Place, detail: string, remedy?: string): void {
    if (this.warnings.length >= MOST_FAULTS) this.warningsLeft += 1;
    else this.warnings.push(place.document.fault(place.pointer, detail, remedy));
  }

  /** A warning about a file as a whole. */
  warnOfFile(file: string, detail: string, remedy?: string): void {
    if (this.warnings.length >= MOST_FAULTS) this.warningsLeft += 1;
    else this.warnings.push({ file, detail, ...(remedy === undefined ? {} : { remedy }) });
  }

  /** A file that could not be read or that holds nothing of use. */
  refuse(path: string, reason: AppError | Fault): void {
    const listed = 'errors' in reason ? reason.errors : [reason];
    const { detail, remedy } = 'errors' in reason ? { detail: reason.message, remedy: reason.remedy } : reason;
    const faults = listed.length > 0 ? listed : [{ detail, ...(remedy === undefined ? {} : { remedy }) }];
    for (const fault of faults) {
      if (this.faults.length >= MOST_FAULTS) this.faultsLeft += 1;
      else this.faults.push({ entity: 'file', path, file: path, ...fault });
    }
  }

  /** Everything, models in the order of their first component. `name` of the source stands where no file does. */
  finish(name: string): Generated {
    const { faults, warnings, faultsLeft, warningsLeft } = this;
    if (faultsLeft > 0) faults.push({ entity: 'file', path: name, detail: `${faultsLeft} more faults are not listed` });
    if (warningsLeft > 0) warnings.push({ detail: `${warningsLeft} more warnings are not listed` });
    const contents = [...this.models.values()]
      .filter(({ components }) => components.size > 0)
      .map(({ model, components }) => ({ model, components: [...components.values()], relationships: [] }));
    return { contents, faults, warnings };
  }

  private componentsOf(model: ModelDefinition): Map<string, ComponentDefinition> {
    const key = JSON.stringify([model.name, model.version]);
    const known = this.models.get(key);
    if (known) return known.components;
    const components = new Map<string, ComponentDefinition>();
    this.models.set(key, { model, components });
    return components;
  }
}
