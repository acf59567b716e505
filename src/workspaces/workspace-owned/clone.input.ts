import { EXAMPLE_ID, InputForms } from '../../core/schema/field-examples.js';
import { IdInput, NameInput } from '../../core/schema/input-fields.js';

/** The target workspace and the name of a copy. */
@InputForms({ example: { name: 'shop', workspace_id: EXAMPLE_ID } })
export class CloneInput {
  @NameInput({ optional: true, description: 'Default: the name of the original with "(copy)".' })
  name?: string;

  @IdInput({ optional: true, description: "Default: the caller's default workspace." })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;
}

const MAX_NAME_LENGTH = 255;
const SUFFIX = ' (copy)';

/** The default name of a copy, truncated at a code point. */
export const copyName = (name: string): string => [...name].slice(0, MAX_NAME_LENGTH - SUFFIX.length).join('') + SUFFIX;
