import {
  type ConnectionDefinition,
  type DefinitionFault,
  type ModelContent,
} from '../../formats/definitions/definitions.js';

/** The content of a package, in an order independent of that of its files, so that equal content compares equal. */
export interface PackageContent {
  models: ModelContent[];
  connections: ConnectionDefinition[];
  /** One for each error; `file`, `line` and `column` locate it where known. */
  faults: DefinitionFault[];
  /** The number of definitions and files that could not be read; one may have several faults. */
  failed: number;
}

/** Order by code units, which does not depend on the machine. */
export function compareByCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
