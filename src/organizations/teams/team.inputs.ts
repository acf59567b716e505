import { InputForms } from '../../core/schema/field-examples.js';
import { nullToEmpty, definedFields, UpdatesView } from '../../core/rest/read-only-fields.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import { NameInput, TextInput } from '../../core/schema/input-fields.js';
import type { Team } from './team.entity.js';
import { TeamView } from './team.view.js';

@UpdatesView(() => TeamView)
@InputForms({ example: { name: 'platform' } })
export class NewTeam {
  @NameInput()
  name!: string;

  @TextInput({ clearable: true })
  description?: string | null;
}

@UpdatesView(() => TeamView)
@InputForms({ rename: { name: 'platform' } })
export class TeamChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ clearable: true })
  description?: string | null;

  /** The columns that this input sets. */
  fields(): Partial<Team> {
    return definedFields({ name: this.name, description: nullToEmpty(this.description, '') });
  }
}
