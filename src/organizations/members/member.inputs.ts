import { IsEmail, Matches, MinLength } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { SHORTEST_PASSWORD } from '../../core/crypto/passwords.js';
import { type InputSettings, TextInput, WordInput } from '../../core/schema/input-fields.js';
import { ORGANIZATION_ROLES, type OrganizationRole } from './member.view.js';

/** A password as it is chosen. */
export const NewPasswordInput = (settings: InputSettings = {}) =>
  applyDecorators(
    TextInput({ ...settings, max: 1000 }),
    MinLength(SHORTEST_PASSWORD, { message: `must have at least ${SHORTEST_PASSWORD} characters` }),
  );

export class NewMember {
  @TextInput({ max: 320 })
  @IsEmail({}, { message: 'must be an e-mail address' })
  @Matches(/(?<!\.invalid)$/i, { message: 'must be an address that mail reaches' })
  email!: string;

  @WordInput(ORGANIZATION_ROLES)
  role!: OrganizationRole;

  @TextInput({ optional: true, max: 255 })
  first_name?: string;

  @TextInput({ optional: true, max: 255 })
  last_name?: string;

  @NewPasswordInput({ optional: true })
  password?: string;
}

export class MemberChange {
  @WordInput(ORGANIZATION_ROLES)
  role!: OrganizationRole;
}
