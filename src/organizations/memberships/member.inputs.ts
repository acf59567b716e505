import { EXAMPLE_ID, InputForms } from '../../core/schema/field-examples.js';
import { Matches, ValidateBy } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { MAX_PASSWORD_LENGTH, findPasswordFault, MIN_PASSWORD_LENGTH } from '../../core/crypto/password-rule.js';
import { IdInput, type InputFieldOptions, LineInput, TextInput, WordInput } from '../../core/schema/input-fields.js';
import { IsEmailAddress } from '../../core/schema/one-line-text.js';
import { ORGANIZATION_ROLES, type OrganizationRole } from './member.view.js';

/** A password chosen by a user. Its similarity to the address is checked here if the request contains the address, else before hashing. */
export const NewPasswordInput = (settings: InputFieldOptions = {}) =>
  applyDecorators(
    TextInput({
      description: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters of any kind; none of the most used passwords.`,
      ...settings,
      max: MAX_PASSWORD_LENGTH,
    }),
    ValidateBy({
      name: 'newPassword',
      validator: {
        validate: (value, context) =>
          typeof value !== 'string' || passwordFaultOf(value, context?.object) === undefined,
        defaultMessage: (context) => passwordFaultOf(context?.value as string, context?.object) ?? '',
      },
    }),
  );

function passwordFaultOf(password: string, request: object | undefined): string | undefined {
  const email = request && 'email' in request && typeof request.email === 'string' ? request.email : '';
  return findPasswordFault(password, email);
}

@InputForms({
  'by address, who is invited': { email: 'ada@example.org', role: 'member' },
  'with a password': { email: 'ada@example.org', role: 'member', password: 'correct horse battery staple' },
  'by id': { user_id: EXAMPLE_ID, role: 'member' },
})
export class NewMember {
  @TextInput({ optional: true, max: 320, description: 'Needed unless there is a user_id.' })
  @IsEmailAddress()
  @Matches(/(?<!\.invalid)$/i, { message: 'must be an address that mail reaches' })
  email?: string;

  @IdInput({
    optional: true,
    description: 'In place of email: a user of the OpenID Connect issuer whose address it has not verified.',
  })
  user_id?: string;

  @WordInput(ORGANIZATION_ROLES)
  role!: OrganizationRole;

  @LineInput({ optional: true })
  first_name?: string;

  @LineInput({ optional: true })
  last_name?: string;

  @NewPasswordInput({ optional: true })
  password?: string;
}
