import { cleared, given, Writes } from '../core/rest/change-input.js';
import { ChangeOnly } from '../core/rest/input.pipe.js';
import { IdInput, MapInput, NameInput, TextInput } from '../core/schema/input-fields.js';
import type { Workspace } from './workspace.entity.js';
import { WorkspaceView } from './workspace.view.js';

@Writes(() => WorkspaceView)
export class NewWorkspace {
  @NameInput()
  name!: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @IdInput()
  organization_id!: string;

  @MapInput({ clearable: true })
  metadata?: Record<string, unknown> | null;
}

@Writes(() => WorkspaceView)
export class WorkspaceChange extends ChangeOnly {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @MapInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  /** The columns that this input sets. */
  fields(): Partial<Workspace> {
    return given({
      name: this.name,
      description: cleared(this.description, ''),
      metadata: cleared(this.metadata, {}),
    });
  }
}
