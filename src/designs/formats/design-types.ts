import { type LocalRenderEngines } from '../../formats/engines/local-render-engines.js';
import { formats } from './import-design.js';

/** A format that designs are imported from; `available` is false while a program that it needs is missing. */
export interface DesignType {
  design_type: string;
  source_type: string;
  supported_extensions: string[];
  description: string;
  available: boolean;
}

/** All of them, in the order in which content is asked whether it is of them. */
export function listDesignTypes(programs: LocalRenderEngines): Promise<DesignType[]> {
  return Promise.all(
    formats.map(async (format) => ({
      design_type: format.sourceType,
      source_type: format.sourceType,
      supported_extensions: [...format.extensions],
      description: format.description,
      available: await format.available(programs),
    })),
  );
}
