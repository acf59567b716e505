import {
  type ConnectionDefinition,
  type DefinitionFault,
  type ModelContent,
} from '../../formats/definitions/definitions.js';

/** What a package holds. In one order, whatever the order of its files, so that the same content is always the same. */
export interface PackageContent {
  models: ModelContent[];
  connections: ConnectionDefinition[];
  /** One for each thing that is wrong; `file`, `line` and `column` tell where as far as it is known. */
  faults: DefinitionFault[];
  /** Definitions and files that could not be taken; one may have several faults. */
  failed: number;
}

/** Order by code units, which is the same on every machine. */
export function compareByCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
