import { IsEmail } from 'class-validator';
import { TextInput, WordInput } from '../../core/schema/input-fields.js';
import { ORGANIZATION_ROLES, type OrganizationRole } from './member.view.js';

export class NewMember {
  @TextInput({ max: 320 })
  @IsEmail({}, { message: 'must be an e-mail address' })
  email!: string;

  @WordInput(ORGANIZATION_ROLES)
  role!: OrganizationRole;

  @TextInput({ optional: true, max: 255 })
  first_name?: string;

  @TextInput({ optional: true, max: 255 })
  last_name?: string;

  @TextInput({ optional: true, max: 1000 })
  password?: string;
}

export class MemberChange {
  @WordInput(ORGANIZATION_ROLES)
  role!: OrganizationRole;
}
