import { IdInput, NameInput } from '../../core/schema/input-fields.js';

/** Where a copy goes, and what it is called. */
export class CloneInput {
  @NameInput({ optional: true, description: 'The name of the original, and "(copy)", when it is left out.' })
  name?: string;

  @IdInput({ optional: true, description: "The caller's default workspace when it is left out." })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;
}

const MAX_NAME_LENGTH = 255;
const SUFFIX = ' (copy)';

/** What a copy is called unless its maker says; no character is cut in two. */
export const copyName = (name: string): string => [...name].slice(0, MAX_NAME_LENGTH - SUFFIX.length).join('') + SUFFIX;
