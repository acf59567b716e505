import { cleared, given, Writes } from '../../core/rest/change-input.js';
import { ChangeOnly } from '../../core/rest/input.pipe.js';
import { NameInput, TextInput } from '../../core/schema/input-fields.js';
import type { Team } from './team.entity.js';
import { TeamView } from './team.view.js';

@Writes(() => TeamView)
export class NewTeam {
  @NameInput()
  name!: string;

  @TextInput({ clearable: true })
  description?: string | null;
}

@Writes(() => TeamView)
export class TeamChange extends ChangeOnly {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ clearable: true })
  description?: string | null;

  /** The columns that this input sets. */
  fields(): Partial<Team> {
    return given({ name: this.name, description: cleared(this.description, '') });
  }
}
